-- What version 2 of the shop adds, to new tables and to those of version 1.

-- One index for each sort of the pets, so that every page of them costs the same.
CREATE INDEX IF NOT EXISTS pets_name ON pets (name, id);
CREATE INDEX IF NOT EXISTS pets_price ON pets (price, id);
CREATE INDEX IF NOT EXISTS pets_birth_date ON pets (birth_date, id);
CREATE INDEX IF NOT EXISTS pets_available ON pets (kind, id) WHERE status = 'available';

CREATE TABLE IF NOT EXISTS orders (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  kind text NOT NULL,
  owner_id bigint NOT NULL REFERENCES owners,
  pet_id bigint NOT NULL REFERENCES pets,
  price numeric(8, 2) NOT NULL,
  ordered_by text NOT NULL,
  ordered_at timestamptz NOT NULL DEFAULT now()
);

CREATE INDEX IF NOT EXISTS orders_time ON orders (ordered_at, id);
CREATE INDEX IF NOT EXISTS orders_caller ON orders (ordered_by, ordered_at, id);
CREATE INDEX IF NOT EXISTS orders_owner ON orders (owner_id);
CREATE INDEX IF NOT EXISTS orders_pet ON orders (pet_id);

-- Whoever waits for orders is woken when the transaction of one has been committed.
CREATE OR REPLACE FUNCTION ring_for_order() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  NOTIFY orders;
  RETURN NULL;
END
$$;
CREATE OR REPLACE TRIGGER orders_ring AFTER INSERT ON orders EXECUTE FUNCTION ring_for_order();

-- As RateLimiterPostgres of rate-limiter-flexible wants it. Unlogged: who counts waits for no disk, and a crash may forget the counts.
CREATE UNLOGGED TABLE IF NOT EXISTS limits (
  key varchar(255) PRIMARY KEY,
  points integer NOT NULL DEFAULT 0,
  expire bigint
);
