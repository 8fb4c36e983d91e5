create table orders (
  id bigint generated always as identity primary key,
  product text not null,
  pieces integer not null
);
