// The scripts of the Redis store. Each method of the port is one script, so that one of two replicas wins, and sums and
// records change together. Times are those of Redis.
//
//   portico:submission:<id>        "fingerprint owner keepMs" while the submission runs; " done status location" follows
//                                  when it is finished. Expires keepMs after the lease: while more than keepMs is left,
//                                  the lease is valid.
//   portico:submission-body:<id>   the sealed response
//   portico:submissions:accounts   hash: id → "client address rowBytes bodyBytes expiresAt"
//   portico:submissions:due        sorted set: ids by the time at which their next part expires
//   portico:submissions:client:<…> and :address:<…>   sorted sets: finished ids in the order of dropping
//   portico:submissions:clients    and :addresses     sorted sets: holders by their bytes; :total is the sum
//
// Redis expires the first two. The budgets bound the other keys, and later calls remove their entries.

import { MOST_DROPPED, SWEPT_PER_CALL } from './submission-store.ts'

/** The beginning of all names; in a Cluster another one, with which all names are in one slot. */
export const GROUP = 'portico:submission'
const RECORD_PREFIX = `${GROUP}:`
const BODY_PREFIX = `${GROUP}-body:`
const INDEX = `${GROUP}s:`
/** A key of each script that has no other: it names the slot. */
export const ACCOUNTS_KEY = `${INDEX}accounts`

/** What a script returns: the kind, then what the kind has. */
export type Reply = (Buffer | number | null | undefined)[]

/** Expired records removed by one call of USAGE. */
export const SWEPT_BY_USAGE = 200

// ROW_ORDER is added to the score of a record without a body: every body is dropped before any row.
const ACCOUNTS = `
local ROW_ORDER = 1e15
local clock = redis.call('TIME')
local now = clock[1] * 1000 + math.floor(clock[2] / 1000)

local function whole(number) return string.format('%.0f', number) end

local function account(id)
  local text = redis.call('HGET', '${INDEX}accounts', id)
  if not text then return nil end
  local client, address, row, body, expires = string.match(text, '^(%S+) (%S+) (%d+) (%d+) (%d+)$')
  return { client = client, address = address, row = tonumber(row), body = tonumber(body), expires = tonumber(expires) }
end

local function save(id, a, due)
  redis.call('HSET', '${INDEX}accounts', id, table.concat({ a.client, a.address, whole(a.row), whole(a.body), whole(a.expires) }, ' '))
  redis.call('ZADD', '${INDEX}due', whole(due), id)
end

-- Sums that this call has changed.
local sums = {}

local function countFor(scope, name, bytes)
  local sum = tonumber(redis.call('ZINCRBY', '${INDEX}' .. scope, whole(bytes), name))
  if sum <= 0 then redis.call('ZREM', '${INDEX}' .. scope, name) end
  sums[scope .. name] = sum
end

local function count(a, bytes)
  if bytes == 0 then return end
  countFor('clients', a.client, bytes)
  countFor('addresses', a.address, bytes)
  sums.total = redis.call('INCRBY', '${INDEX}total', whole(bytes))
end

local function place(id, a, order)
  redis.call('ZADD', '${INDEX}client:' .. a.client, whole(order), id)
  redis.call('ZADD', '${INDEX}address:' .. a.address, whole(order), id)
end

local function forget(id, a)
  redis.call('HDEL', '${INDEX}accounts', id)
  redis.call('ZREM', '${INDEX}due', id)
  redis.call('ZREM', '${INDEX}client:' .. a.client, id)
  redis.call('ZREM', '${INDEX}address:' .. a.address, id)
  count(a, -a.row - a.body)
end

local function removeBody(id, a)
  redis.call('UNLINK', '${BODY_PREFIX}' .. id)
  count(a, -a.body)
  a.body = 0
  save(id, a, a.expires)
  redis.call('ZINCRBY', '${INDEX}client:' .. a.client, whole(ROW_ORDER), id)
  redis.call('ZINCRBY', '${INDEX}address:' .. a.address, whole(ROW_ORDER), id)
end

local function sweep(limit)
  local ids = redis.call('ZRANGEBYSCORE', '${INDEX}due', '-inf', whole(now), 'LIMIT', 0, limit)
  for _, id in ipairs(ids) do
    local a = account(id)
    if not a then redis.call('ZREM', '${INDEX}due', id)
    elseif a.expires <= now then forget(id, a)
    else removeBody(id, a) end
  end
  return #ids
end
`

// makeRoom of sqlite-records.ts in Lua; LIMITS is { client, address, total }. Dropped parts are reported as "row client", "body total" …
const MAKE_ROOM = `
local dropped = {}

local function dropOldest(scope, name, mayDropRows)
  local first = redis.call('ZRANGE', '${INDEX}' .. scope .. ':' .. name, 0, 0, 'WITHSCORES')
  local id = first[1]
  if not id then return nil end
  local a = account(id)
  if not a then
    -- Only after an eviction by Redis: the entry has no bytes, and must not stop the loop.
    redis.call('ZREM', '${INDEX}' .. scope .. ':' .. name, id)
    return 'row'
  end
  if tonumber(first[2]) < ROW_ORDER then
    removeBody(id, a)
    return 'body'
  end
  if not mayDropRows then return nil end
  redis.call('UNLINK', '${RECORD_PREFIX}' .. id)
  forget(id, a)
  return 'row'
end

local function sumOf(scope, name)
  return sums[scope .. name] or tonumber(redis.call('ZSCORE', '${INDEX}' .. scope, name) or 0)
end

local function overBudget(a)
  if sumOf('clients', a.client) > LIMITS[1] then return 'client' end
  if sumOf('addresses', a.address) > LIMITS[2] then return 'address' end
  if (sums.total or tonumber(redis.call('GET', '${INDEX}total') or 0)) > LIMITS[3] then return 'total' end
  return nil
end

local function makeRoom(a, forRow)
  for turn = 1, ${MOST_DROPPED} do
    local over = overBudget(a)
    if not over then return nil end
    local part
    if over ~= 'total' then part = dropOldest(over, a[over], forRow)
    else
      local largest = redis.call('ZREVRANGE', '${INDEX}addresses', 0, 0)[1] or a.address
      part = dropOldest('address', largest, forRow or largest ~= a.address) or dropOldest('address', a.address, forRow)
    end
    if not part then return over end
    dropped[#dropped + 1] = part .. ' ' .. over
  end
  return nil
end
`

const READ = `
local row = redis.call('GET', KEYS[1])
local fingerprint, owner, keep, rest = string.match(row or '', '^(%S+) (%S+) (%d+)(.*)$')
`

const IF_OWNED = `${READ}
if owner ~= ARGV[2] or rest ~= '' then return 0 end
`

// A full Redis refuses only the first write of a script that needs memory: so the first write of BEGIN and FINISH is
// the record itself, and the other scripts begin with a write that needs no memory.

/**
 * KEYS: record, body, then both of each other record. ARGV: id, fingerprint, running record, life, takeOver, client,
 * address, rowBytes, limits. The last member of a reply about a finished record is the place of its key.
 */
export const BEGIN = `
for place = 1, #KEYS, 2 do
  local row = redis.call('GET', KEYS[place])
  if row == ARGV[3] then
    -- The reply of an earlier call was lost. A write, so that WAIT behind it covers the record as well.
    redis.call('PEXPIRE', KEYS[place], ARGV[4])
    return { 'started', '' }
  end
  local fingerprint, _, keep, rest = string.match(row or '', '^(%S+) (%S+) (%d+)(.*)$')
  if fingerprint then
    if rest ~= '' then
      return { 'finished', fingerprint, string.sub(rest, 2), redis.call('GET', KEYS[place + 1]), place }
    end
    if redis.call('PTTL', KEYS[place]) > tonumber(keep) then return { 'running', fingerprint } end
    if ARGV[5] ~= '1' or fingerprint ~= ARGV[2] then return { 'lost', fingerprint } end
  end
end
local LIMITS = { tonumber(ARGV[9]), tonumber(ARGV[10]), tonumber(ARGV[11]) }
${ACCOUNTS}${MAKE_ROOM}
redis.call('SET', KEYS[1], ARGV[3], 'PX', ARGV[4])
local before = account(ARGV[1])
if before then
  redis.call('UNLINK', KEYS[2])
  forget(ARGV[1], before)
end
local a = { client = ARGV[6], address = ARGV[7], row = tonumber(ARGV[8]), body = 0, expires = now + tonumber(ARGV[4]) }
save(ARGV[1], a, a.expires)
count(a, a.row)
sweep(${SWEPT_PER_CALL})
if makeRoom(a, true) then
  redis.call('DEL', KEYS[1])
  forget(ARGV[1], a)
  return { 'full', table.concat(dropped, ',') }
end
return { 'started', table.concat(dropped, ',') }`

/** KEYS: record. ARGV: id, owner, life. */
export const RENEW = `${IF_OWNED}
redis.call('PEXPIRE', KEYS[1], ARGV[3])
${ACCOUNTS}
local a = account(ARGV[1])
if a then
  a.expires = now + tonumber(ARGV[3])
  save(ARGV[1], a, a.expires)
end
return 1`

/** KEYS: record, body. ARGV: id, owner, finished record, keepMs, rowBytes, body, bodyKeepMs, bodyBytes, limits. */
export const FINISH = `${IF_OWNED}
local LIMITS = { tonumber(ARGV[9]), tonumber(ARGV[10]), tonumber(ARGV[11]) }
${ACCOUNTS}${MAKE_ROOM}
redis.call('SET', KEYS[1], row .. ' ' .. ARGV[3], 'PX', ARGV[4])
local id = ARGV[1]
local a = account(id)
if not a then return { 1, '' } end
local bytes = tonumber(ARGV[5]) - a.row
local due = now + tonumber(ARGV[4])
local order = now + ROW_ORDER
a.row = tonumber(ARGV[5])
a.expires = due
if ARGV[6] ~= '' then
  redis.call('SET', KEYS[2], ARGV[6], 'PX', ARGV[7])
  a.body = tonumber(ARGV[8])
  bytes = bytes + a.body
  due = now + tonumber(ARGV[7])
  order = now
end
count(a, bytes)
save(id, a, due)
place(id, a, order)
local over = makeRoom(a, false)
if over then
  -- Dropping bodies is not enough: this body is dropped too, and rows are dropped only for the bytes of the location.
  local left = account(id)
  if left and left.body > 0 then
    removeBody(id, left)
    dropped[#dropped + 1] = 'body ' .. over
  end
  makeRoom(a, true)
end
return { 1, table.concat(dropped, ',') }`

/** KEYS: record. ARGV: id, owner. */
export const ABANDON = `${IF_OWNED}
${ACCOUNTS}
redis.call('DEL', KEYS[1])
local a = account(ARGV[1])
if a then forget(ARGV[1], a) end
return 1`

/** KEYS: accounts. Removes expired records; returns their number, and the sum. */
export const USAGE = `${ACCOUNTS}
local swept = sweep(${SWEPT_BY_USAGE})
-- Without any account the sums are 0, also after keys were removed by an operator or evicted by Redis.
if redis.call('EXISTS', KEYS[1]) == 0 then redis.call('DEL', '${INDEX}total', '${INDEX}clients', '${INDEX}addresses') end
return { swept, tonumber(redis.call('GET', '${INDEX}total') or 0) }`
