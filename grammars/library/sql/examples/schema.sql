-- Fleet and orders: the tables that everything else reads.
BEGIN;

CREATE SCHEMA IF NOT EXISTS fleet;
CREATE EXTENSION IF NOT EXISTS pg_trgm;

CREATE TYPE fleet.vehicle_state AS ENUM ('idle', 'on_trip', 'workshop', 'retired');

CREATE TABLE fleet.depots (
    id          bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    code        varchar(8) NOT NULL UNIQUE,
    city        text NOT NULL,
    opened_on   date,
    location    point
);

CREATE TABLE fleet.vehicles (
    id            bigserial PRIMARY KEY,
    depot_id      bigint NOT NULL REFERENCES fleet.depots (id) ON DELETE RESTRICT,
    plate         text NOT NULL,
    state         fleet.vehicle_state NOT NULL DEFAULT 'idle',
    payload_kg    numeric(8, 2) CHECK (payload_kg > 0),
    labels        jsonb NOT NULL DEFAULT '{}'::jsonb,
    tags          text[] DEFAULT ARRAY['new', '车辆'],
    registered_at timestamp with time zone NOT NULL DEFAULT now(),
    CONSTRAINT vehicles_plate_unique UNIQUE (depot_id, plate)
);

CREATE UNIQUE INDEX CONCURRENTLY IF NOT EXISTS vehicles_plate_idx ON fleet.vehicles USING btree (lower(plate)) WHERE state <> 'retired';
CREATE INDEX ON fleet.vehicles USING gin (labels jsonb_path_ops);

CREATE TABLE orders (
    order_id     uuid DEFAULT gen_random_uuid() NOT NULL,
    customer_id  integer NOT NULL,
    "group"      character varying(32),
    total        decimal(12, 2) NOT NULL DEFAULT 0.00,
    placed_at    timestamptz NOT NULL,
    shipped_at   timestamptz NULL,
    PRIMARY KEY (order_id, placed_at),
    FOREIGN KEY (customer_id) REFERENCES customers (id) ON UPDATE CASCADE ON DELETE SET NULL DEFERRABLE INITIALLY DEFERRED
) PARTITION BY RANGE (placed_at);

CREATE TABLE orders_2026_q4 PARTITION OF orders FOR VALUES FROM ('2026-10-01') TO ('2027-01-01');

CREATE OR REPLACE VIEW fleet.active_vehicles AS
SELECT v.id, v.plate, d.code AS depot
FROM fleet.vehicles v
    INNER JOIN fleet.depots AS d ON d.id = v.depot_id
WHERE v.state IN ('idle', 'on_trip');

CREATE MATERIALIZED VIEW daily_revenue AS
SELECT date_trunc('day', placed_at) AS day, sum(total) AS revenue, count(*) FILTER (WHERE shipped_at IS NOT NULL) AS shipped
FROM orders
GROUP BY 1
WITH NO DATA;

CREATE FUNCTION fleet.touch_vehicle() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    NEW.registered_at := coalesce(NEW.registered_at, now());
    RETURN NEW;
END;
$$;

CREATE TRIGGER vehicles_touch BEFORE INSERT OR UPDATE OF plate, state ON fleet.vehicles
    FOR EACH ROW WHEN (NEW.plate IS DISTINCT FROM OLD.plate) EXECUTE FUNCTION fleet.touch_vehicle();

ALTER TABLE orders
    ADD COLUMN IF NOT EXISTS remark text COLLATE "C",
    ALTER COLUMN total SET DEFAULT 0,
    ADD CONSTRAINT orders_total_positive CHECK (total >= 0) NOT VALID;
ALTER TABLE fleet.vehicles RENAME COLUMN labels TO attributes;
ALTER TYPE fleet.vehicle_state ADD VALUE IF NOT EXISTS 'reserved' AFTER 'idle';

COMMENT ON TABLE orders IS '订单主表；one row for each order 🧾';
COMMENT ON COLUMN fleet.vehicles.payload_kg IS 'Kilograms, without the driver''s';

GRANT SELECT, INSERT (customer_id, total) ON orders TO app_writer, app_reader;
REVOKE ALL PRIVILEGES ON ALL TABLES IN SCHEMA fleet FROM public CASCADE;

DROP INDEX IF EXISTS fleet.vehicles_old_idx, fleet.vehicles_older_idx;
COMMIT;
