// Reads and writes the settings of the section `draftwire`.
import * as vscode from "vscode";
import { bridgeSettings } from "./pure/settings.ts";

export const SECTION = "draftwire";

/** What this window sends to the bridge. */
export function bridgeSettingsNow(): Readonly<Record<string, unknown>> {
  const section = vscode.workspace.getConfiguration(SECTION);
  const get = (name: string): unknown => section.get(name);
  return bridgeSettings(
    {
      enable: get("enable"),
      languages: get("languages"),
      exclude: get("exclude"),
      trigger: get("trigger"),
      maxTokens: get("maxTokens"),
      maxLines: get("maxLines"),
      show: get("show"),
      grammars: get("grammars"),
      advanced: get("advanced"),
    },
    vscode.workspace.isTrusted,
  );
}

/** Settings that the user wrote by the bridge's names. */
export function advancedNow(): unknown {
  return vscode.workspace.getConfiguration(SECTION).get("advanced");
}

export function programSetting(): string {
  return text("path");
}

export function logLevel(): string {
  return text("logLevel") || "warning";
}

export function isEnabledEverywhere(): boolean {
  return vscode.workspace.getConfiguration(SECTION).get("enable") !== false;
}

/** Whether the settings switch a document's language on; its file's name is the daemon's to judge. */
export function isEnabled(languageId: string): boolean {
  const section = vscode.workspace.getConfiguration(SECTION);
  const languages = section.get<Readonly<Record<string, unknown>>>("languages") ?? {};
  const own = languages[languageId];
  return typeof own === "boolean" ? own : isEnabledEverywhere();
}

export async function toggleEverywhere(): Promise<void> {
  const section = vscode.workspace.getConfiguration(SECTION);
  await section.update("enable", !isEnabledEverywhere(), vscode.ConfigurationTarget.Global);
}

export async function toggleLanguage(languageId: string): Promise<void> {
  const section = vscode.workspace.getConfiguration(SECTION);
  const languages = { ...section.get<Readonly<Record<string, unknown>>>("languages") };
  const next = { ...languages, [languageId]: !isEnabled(languageId) };
  await section.update("languages", next, vscode.ConfigurationTarget.Global);
}

function text(name: string): string {
  const value = vscode.workspace.getConfiguration(SECTION).get(name);
  return typeof value === "string" ? value : "";
}
