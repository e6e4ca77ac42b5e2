--[[ Part of decide and amend: counters that are fields of hashes. A counter's name is its key or, for a field, key, `|` and field
(rules/keys.ts). Few runs need these functions; the script creates them only for those. ]]

-- Text of a field; false if there is none.
local function readHashField(key, field)
  local text = redis.pcall('HGET', key, field)
  return type(text) == 'string' and text
end
--@include sweep

-- Writes a field under the policy at `p` of `b`, and sets the hash's expiry. `mark`: the policy's. `isNewer`: the text has the mark of
-- a newer policy.
local function writeHashField(key, field, text, isNewer, mark, b, p)
  if type(redis.pcall('HSET', key, field, text)) ~= 'number' then
    redis.call('DEL', key)
    redis.call('HSET', key, field, text)
  end
  local expiresAtMs, setMs = mark.expiresAtMs, redis.call('PEXPIRETIME', key)
  if b[p + ALGORITHM] == PACKED and not isNewer then
    sweep(key, setMs, expiresAtMs, b, p, nowUs)
  elseif setMs < expiresAtMs then
    -- Other limits or policies may have set a later expiry.
    redis.call('PEXPIREAT', key, expiresAtMs)
  end
end
