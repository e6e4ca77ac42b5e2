#!lua
--[[ run-subject: requests whose limits are all fields of one hash: gcra, token_bucket (continuous), leaky_bucket and fixed_window. Charges all
limits of a request or none. Twin of parts/algorithms/virtual-time.lua and fixed-window.lua, without functions. Different from run-head:

KEYS     the hash of each request
ARGV[1]  runs of [cost (1 or more), requests, limits, policy per limit (policy.lua)]
ARGV[5]  JSON array: per run, the array of its fields
Reply    [now us, per request: the usage before it per limit, or only -1]
         Usage: time from now to the theoretical arrival time, us; count of the current window; if that starts at the first request, its
         count times its length, plus the time since its start, ms.
Source   docs/adr/0052-one-value-per-subject.md ]]
--@include run-head
local keys, fields, call = KEYS, cjson.decode(ARGV[5]), redis.call
if ARGV[4] ~= '' then
  keys = cmsgpack.unpack(ARGV[4])
end

local EPOCH_US, EPOCH_MS, maxUsage = 1577836800000000, 1577836800000, 2 ^ 53
local nowInUs, nowInMs, r, run = nowUs - EPOCH_US, nowMs - EPOCH_MS, 1, 0
-- Of all requests, because growing a table takes as long as its values.
local written = {}
while at < last do
  local cost, requests, limits, p = batch[at], batch[at + 1], batch[at + 2], at + 3
  -- Per limit: start of its policy; the end of a state that was written in this TTL period and, if the window is aligned to the clock, in
  -- this window.
  local starts, tails, tailSizes, expiries, names = {}, {}, {}, {}, nil
  for c = 1, limits do
    local periodMs = 2 ^ batch[p + 4]
    local period = floor(nowMs / periodMs)
    starts[c], tails[c], tailSizes[c] = p, format('%03d', 64 + batch[p + 3] * 18 + period % 18), 3
    expiries[c] = (period + 2) * periodMs + batch[p + 5]
    if batch[p + 1] == 1 and batch[p + 10] == 1 then
      local start = nowInMs - nowMs % batch[p + 9]
      local high = floor(start / 1000000)
      tails[c], tailSizes[c] = format('%06d%06d%s', high, start - high * 1000000, tails[c]), 15
    end
    p = p + batch[p]
  end
  run, at = run + 1, p
  names = fields[run]

  for k = done + 1, done + requests do
    -- An error, such as for a foreign key, leaves the request to decide.lua.
    local key = keys[k]
    local texts = pcall('HMGET', key, unpack(names))
    local isUsual, all, n, expiresAtMs = not texts.err, true, 0, 0
    for c = 1, isUsual and limits or 0 do
      local text, tail, tailSize, usage, nextText = texts[c], tails[c], tailSizes[c], 0, nil
      p = starts[c]
      local isCurrent = text and sub(text, -tailSize) == tail
      if text and not isCurrent then
        local x, y, z = byte(text, -3, -1)
        if not z or floor((x * 100 + y * 10 + z - 5392) / 18) ~= batch[p + 3] then
          isUsual = false
          break
        end
      end
      if batch[p + 1] == 1 then
        local used, windowMs = 0, batch[p + 9]
        local start = tailSize == 3 and nowInMs or nowInMs - nowMs % windowMs
        if text then
          used = tonumber(sub(text, 1, -16)) or -1
          local stored = start
          if tailSize == 3 or not isCurrent then
            stored = tonumber(sub(text, -15, -4))
          end
          if used < 0 or used ~= floor(used) or not stored or stored > start or stored ~= floor(stored) then
            isUsual = false
            break
          elseif tailSize == 15 then
            if stored < start then
              used = 0
            end
          elseif nowInMs - stored >= windowMs then
            used = 0
          else
            start = stored
          end
        end
        usage = used
        if tailSize == 3 then
          if (used + 1) * windowMs > maxUsage then
            isUsual = false
            break
          end
          usage = used * windowMs + nowInMs - start
          local high = floor(start / 1000000)
          tail = format('%06d%06d%s', high, start - high * 1000000, tail)
        end
        local count = used + cost
        if count <= batch[p + 7] + batch[p + 8] then
          -- %d prints three times as fast as %.0f, but may be limited to 32 bits.
          nextText = format(count < 2147483648 and '%d%s' or '%.0f%s', count, tail)
        end
      else
        local bandUs = batch[p + 10]
        if text then
          local number = tonumber(text)
          if not number or number <= 0 or number >= 1e19 then
            isUsual = false
            break
          end
          usage = floor(number / 1000) - nowInUs
          if usage < 0 or usage > 2 * bandUs then
            usage = 0
          end
        end
        local nextUs = usage + batch[p + 8] * cost
        if nextUs <= batch[p + 9] + batch[p + 7] then
          if nextUs > bandUs then
            nextUs = bandUs
          end
          local nextTat = nowInUs + nextUs
          local high = floor(nextTat / 100000000)
          nextText = format('%d%08d%s', high, nextTat - high * 100000000, tail)
        end
      end
      if nextText then
        written[n + 1], written[n + 2], n = names[c], nextText, n + 2
        if expiries[c] > expiresAtMs then
          expiresAtMs = expiries[c]
        end
      elseif batch[p + 2] % 2 == 0 then
        -- Denied by a limit that is not in shadow mode.
        all = false
      end
      reply[r + c] = usage
    end

    if isUsual then
      r = r + limits
      if all and n > 0 then
        call('HSET', key, unpack(written, 1, n))
        -- Other limits may have set a later expiry.
        if call('PEXPIRETIME', key) < expiresAtMs then
          call('PEXPIREAT', key, expiresAtMs)
        end
      end
    else
      for c = 2, limits do
        reply[r + c] = nil
      end
      r = r + 1
      reply[r] = -1
    end
  end
  done = done + requests
end
return cmsgpack.pack(reply)
