CREATE TABLE owners (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  name text NOT NULL,
  email text NOT NULL,
  phone text,
  city text NOT NULL,
  version integer NOT NULL DEFAULT 1
);

CREATE UNIQUE INDEX owners_email ON owners (lower(email));

CREATE TABLE pets (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  name text NOT NULL,
  kind text NOT NULL,
  breed text,
  birth_date date NOT NULL,
  price numeric(8, 2) NOT NULL,
  status text NOT NULL,
  tags text[] NOT NULL,
  owner_id bigint REFERENCES owners,
  version integer NOT NULL DEFAULT 1
);

CREATE INDEX pets_owner ON pets (owner_id);
CREATE INDEX pets_tags ON pets USING gin (tags);

CREATE TABLE pictures (
  pet_id bigint PRIMARY KEY REFERENCES pets ON DELETE CASCADE,
  media_type text NOT NULL,
  bytes bytea NOT NULL
);
