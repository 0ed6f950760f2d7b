-- What version 3 of the shop adds: who is told of orders, and what is still to be sent.

CREATE TABLE IF NOT EXISTS subscriptions (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  url text NOT NULL,
  secret text NOT NULL
);

-- An event for a subscriber, written in the transaction that it is about.
CREATE TABLE IF NOT EXISTS outbox (
  id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
  subscription_id bigint NOT NULL REFERENCES subscriptions ON DELETE CASCADE,
  event jsonb NOT NULL,
  attempts integer NOT NULL DEFAULT 0,
  due timestamptz NOT NULL DEFAULT now()
);

CREATE INDEX IF NOT EXISTS outbox_due ON outbox (due);
CREATE INDEX IF NOT EXISTS outbox_subscription ON outbox (subscription_id);
