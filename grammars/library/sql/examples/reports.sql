/* Reports that the dispatchers look at in the morning. */

-- Customers by revenue, with their share and their rank in the region
WITH RECURSIVE regions (id, parent_id, depth, path) AS (
    SELECT id, parent_id, 0, name FROM region WHERE parent_id IS NULL
    UNION ALL
    SELECT r.id, r.parent_id, p.depth + 1, p.path || ' / ' || r.name
    FROM region r JOIN regions p ON r.parent_id = p.id
    WHERE p.depth < 5
),
revenue AS MATERIALIZED (
    SELECT c.id, c.region_id, sum(o.total * (1 - coalesce(o.discount, 0))) AS amount
    FROM customers AS c
        LEFT OUTER JOIN orders o USING (customer_id)
    WHERE o.placed_at BETWEEN :from_date AND :to_date
        AND o.status NOT IN ('cancelled', 'draft')
        AND NOT EXISTS (SELECT 1 FROM refunds f WHERE f.order_id = o.id)
    GROUP BY c.id, c.region_id
    HAVING sum(o.total) > 100.5e0
)
SELECT
    g.path AS region,
    v.id,
    round(v.amount, 2) AS amount,
    100.0 * v.amount / sum(v.amount) OVER () AS share_percent,
    rank() OVER w AS position,
    lag(v.amount, 1, 0) OVER (PARTITION BY v.region_id ORDER BY v.amount DESC NULLS LAST ROWS BETWEEN 1 PRECEDING AND CURRENT ROW) AS before
FROM revenue v
    INNER JOIN regions g ON g.id = v.region_id
    CROSS JOIN LATERAL (SELECT max(placed_at) AS last_order FROM orders o WHERE o.customer_id = v.id) AS latest
WHERE g.path LIKE '华东%' OR g.path ILIKE '%nord\_%' ESCAPE '\'
WINDOW w AS (PARTITION BY v.region_id ORDER BY v.amount DESC)
ORDER BY region, position ASC
LIMIT 50 OFFSET 10;

SELECT DISTINCT ON (vehicle_id) vehicle_id, measured_at, latitude, longitude,
    CASE WHEN speed_kmh > 90 THEN 'fast' WHEN speed_kmh = 0 THEN 'standing' ELSE 'normal' END AS pace,
    CAST(heading AS integer) % 360 AS heading,
    extract(epoch FROM now() - measured_at)::int AS age_s,
    metadata ->> 'driver' AS driver,
    readings[1] + readings[2] AS first_two
FROM positions
WHERE measured_at > current_timestamp - INTERVAL '15 minutes' AND vehicle_id = ANY ($1)
ORDER BY vehicle_id, measured_at DESC;

INSERT INTO order_events AS e (order_id, kind, payload, occurred_at)
VALUES (42, 'shipped', '{"carrier": "DHL"}', DEFAULT),
    (43, 'delayed', '{"reason": "Schneefall ❄"}', '2026-11-29T06:30:00Z')
ON CONFLICT (order_id, kind) WHERE kind <> 'note' DO UPDATE SET payload = excluded.payload, occurred_at = now()
RETURNING e.id, e.kind;

UPDATE vehicles v SET state = 'workshop', odometer = odometer + t.distance
FROM trips t
WHERE t.vehicle_id = v.id AND t.ended_at IS NOT NULL AND v.service_due < t.ended_at;

DELETE FROM sessions USING users u WHERE sessions.user_id = u.id AND u.deleted IS TRUE;

MERGE INTO stock AS s USING deliveries d ON s.sku = d.sku
WHEN MATCHED AND d.quantity = 0 THEN DELETE
WHEN MATCHED THEN UPDATE SET quantity = s.quantity + d.quantity
WHEN NOT MATCHED THEN INSERT (sku, quantity) VALUES (d.sku, d.quantity);

SELECT region, product, grouping(region) AS g, string_agg(DISTINCT sku, ', ' ORDER BY sku) AS skus
FROM sales
GROUP BY GROUPING SETS ((region, product), (region), ())
UNION
(SELECT 'all', NULL, 1, NULL)
ORDER BY 1
FETCH FIRST 10 ROWS ONLY;

EXPLAIN ANALYZE SELECT TOP 5 * FROM [Order Details] WHERE `unit price` >= 10 AND Quantity BETWEEN 1 AND 12;
SET search_path TO fleet, public;
