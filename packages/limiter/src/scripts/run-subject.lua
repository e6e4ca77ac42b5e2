#!lua
--[[ run-subject: requests whose limits are all fields of one hash: gcra, token_bucket (continuous), leaky_bucket and fixed_window. Charges all
limits of a request or none. Twin of parts/algorithms/virtual-time.lua and fixed-window.lua, without functions. Different from run-head:

KEYS     the hash of each request
ARGV[1]  runs of [cost (1 or more), requests, limits, policy per limit (constants.lua)]
ARGV[5]  JSON array: per run, the array of its fields
Reply    [now us, per request: the usage before it per limit, or only -1]
         Usage: time from now to the theoretical arrival time, us; count of the current window; if that starts at the first request, its
         count times its length, plus the time since its start, ms.
Source   docs/adr/0052-one-value-per-subject.md ]]
--@include constants
--@include run-head
--@include run-fields

-- Positions in a run, from its start.
local RUN_LIMITS <const> = 2
local RUN_POLICIES <const> = 3
-- Lengths of the end of a state that is the same for all subjects: the mark, for windows aligned to the clock also their start.
local MARK_SIZE <const> = 3
local WINDOW_SIZE <const> = 15
local nowInUs, nowInMs, r, run = nowUs - EPOCH_US, nowMs - EPOCH_MS, 1, 0
-- Of all requests, because growing a table takes as long as its values.
local written = {}
while at < last do
  local cost, requests, limits = batch[at + RUN_COST], batch[at + RUN_REQUESTS], batch[at + RUN_LIMITS]
  local p = at + RUN_POLICIES
  -- Per limit: start of its policy; the end of a state that was written in this TTL period and, if the window is aligned to the clock, in
  -- this window.
  local starts, tails, tailSizes, expiries, names = {}, {}, {}, {}, nil
  for c = 1, limits do
    local periodMs, parameters = 2 ^ batch[p + PERIOD_EXPONENT], p + PARAMETERS
    local period = floor(nowMs / periodMs)
    local mark = format('%03d', LEAST_MARK + batch[p + ID] * PERIODS + period % PERIODS)
    starts[c], tails[c], tailSizes[c] = p, mark, MARK_SIZE
    expiries[c] = (period + 2) * periodMs + batch[p + HORIZON_MS]
    if batch[p + ALGORITHM] == FIXED_WINDOW and batch[parameters + ALIGNED] == 1 then
      local start = nowInMs - nowMs % batch[parameters + WINDOW_MS]
      local high = floor(start / START_HALF)
      tails[c], tailSizes[c] = format('%06d%06d%s', high, start - high * START_HALF, mark), WINDOW_SIZE
    end
    p = p + batch[p + SIZE]
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
      local parameters = p + PARAMETERS
      local isCurrent = text and sub(text, -tailSize) == tail
      if text and not isCurrent then
        local x, y, z = byte(text, -3, -1)
        if not z or floor((x * 100 + y * 10 + z - MARK_BASE) / PERIODS) ~= batch[p + ID] then
          isUsual = false
          break
        end
      end
      if batch[p + ALGORITHM] == FIXED_WINDOW then
        local used, windowMs = 0, batch[parameters + WINDOW_MS]
        local start = tailSize == MARK_SIZE and nowInMs or nowInMs - nowMs % windowMs
        if text then
          used = tonumber(sub(text, 1, -16)) or -1
          local stored = start
          if tailSize == MARK_SIZE or not isCurrent then
            stored = tonumber(sub(text, -15, -4))
          end
          if used < 0 or used ~= floor(used) or not stored or stored > start or stored ~= floor(stored) then
            isUsual = false
            break
          elseif tailSize == WINDOW_SIZE then
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
        if tailSize == MARK_SIZE then
          if (used + 1) * windowMs > MAX_EXACT then
            isUsual = false
            break
          end
          usage = used * windowMs + nowInMs - start
          local high = floor(start / START_HALF)
          tail = format('%06d%06d%s', high, start - high * START_HALF, tail)
        end
        local count = used + cost
        if count <= batch[parameters + EXTRA] + batch[parameters + CAPACITY] then
          nextText = format(count < MAX_PRINTED and '%d%s' or '%.0f%s', count, tail)
        end
      else
        local bandUs = batch[parameters + BAND_US]
        if text then
          local number = tonumber(text)
          if not number or number <= 0 or number >= MAX_ARRIVAL then
            isUsual = false
            break
          end
          usage = floor(number / MARK_SCALE) - nowInUs
          if usage < 0 or usage > 2 * bandUs then
            usage = 0
          end
        end
        local nextUs = usage + batch[parameters + INTERVAL_US] * cost
        if nextUs <= batch[parameters + REACH_US] + batch[parameters + THROTTLE_US] then
          if nextUs > bandUs then
            nextUs = bandUs
          end
          local nextTat = nowInUs + nextUs
          local high = floor(nextTat / ARRIVAL_HALF)
          nextText = format('%d%08d%s', high, nextTat - high * ARRIVAL_HALF, tail)
        end
      end
      if nextText then
        written[n + 1], written[n + 2], n = names[c], nextText, n + 2
        if expiries[c] > expiresAtMs then
          expiresAtMs = expiries[c]
        end
      elseif batch[p + FLAGS] % 2 == ENFORCED then
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
