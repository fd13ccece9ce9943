# Included by the build of llama-cpp-python (CMAKE_PROJECT_llama_cpp_INCLUDE, see the Makefile).
# Draftwire calls libllama alone; llama.cpp's "common" helper library would add minutes of compiling for nothing.
set(LLAMA_BUILD_COMMON OFF)
