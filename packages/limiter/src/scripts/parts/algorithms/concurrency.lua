--[[ concurrency: twin of algorithms/concurrency.ts.
Parameters: extra, capacity, how long a permit is held without renewal (ms).
State s1: 13 bytes per permit, sorted by expiry: holder (7 bytes, 0 for none), expiry (6 bytes, ms since 2020-01-01), little endian;
permits of one holder are adjacent. As text: the same bytes, then the mark.
Source: docs/adr/0012-algorithms.md ]]
local LEASE_MS <const> = 2
-- Bytes of a permit, and of its holder.
local PERMIT <const> = 13
local HOLDER_SIZE <const> = 7

MAKE[CONCURRENCY] = function()
  local find, rep = string.find, string.rep

  local function holderBytes(number)
    local low = number % 2 ^ 32
    local high = (number - low) / 2 ^ 32
    return char(low % 256, floor(low / 2 ^ 8) % 256, floor(low / 2 ^ 16) % 256, floor(low / 2 ^ 24),
      high % 256, floor(high / 2 ^ 8) % 256, floor(high / 2 ^ 16))
  end

  local function expiryBytes(expiryMs)
    local ms = expiryMs - EPOCH_MS
    local low = ms % 2 ^ 32
    local high = (ms - low) / 2 ^ 32
    return char(low % 256, floor(low / 2 ^ 8) % 256, floor(low / 2 ^ 16) % 256, floor(low / 2 ^ 24), high % 256, floor(high / 2 ^ 8))
  end

  -- Expiry of the permit at `index`, from 0.
  local function expiryAt(state, index)
    local from = index * PERMIT
    local a, b, c, d, e, f = byte(state, from + HOLDER_SIZE + 1, from + PERMIT)
    return a + b * 2 ^ 8 + c * 2 ^ 16 + d * 2 ^ 24 + e * 2 ^ 32 + f * 2 ^ 40 + EPOCH_MS
  end

  -- Number of permits that expire at `ms` or before.
  local function countUntil(state, count, ms)
    if count == 0 or expiryAt(state, 0) > ms then
      return 0
    elseif expiryAt(state, count - 1) <= ms then
      return count
    end
    local low, high = 1, count - 1
    while low < high do
      local middle = floor((low + high) / 2)
      if expiryAt(state, middle) <= ms then
        low = middle + 1
      else
        high = middle
      end
    end
    return low
  end

  -- Permits that are held now, and their number.
  local function heldAt(state, leaseMs, nowMs)
    state = state or ''
    local count = #state / PERMIT
    local gone, kept = countUntil(state, count, nowMs), countUntil(state, count, nowMs + 2 * leaseMs)
    if kept - gone < count then
      return sub(state, gone * PERMIT + 1, kept * PERMIT), kept - gone
    end
    return state, count
  end

  -- First and last byte of the holder's permits. Skips matches that span two permits.
  local function findOwn(held, own)
    local from = 1
    repeat
      from = find(held, own, from, true)
      if from and (from - 1) % PERMIT == 0 then
        local last = from + PERMIT - 1
        while sub(held, last + 1, last + HOLDER_SIZE) == own do
          last = last + PERMIT
        end
        return from, last
      end
      from = from and from + 1
    until not from
  end

  return {
    parameters = 3,

    decode = function(text)
      if (#text - 3) % PERMIT == 0 then
        return sub(text, 1, -4)
      end
    end,

    encode = function(state, mark)
      return state .. mark
    end,

    step = function(state, b, at, cost, nowUs)
      local extra, capacity, leaseMs = b[at + EXTRA], b[at + CAPACITY], b[at + LEASE_MS]
      local nowMs = floor(nowUs / 1000)
      local held, count = heldAt(state, leaseMs, nowMs)
      local own = holderBytes(holder)
      local from, last
      if holder > 0 then
        from, last = findOwn(held, own)
      end
      local needed = from and 0 or count + cost - capacity - extra
      if needed > 0 then
        local waitUs = -1
        if cost <= capacity + extra then
          waitUs = expiryAt(held, needed - 1) * 1000 - nowUs
        end
        return 0, state, capacity - count, waitUs, count > 0 and expiryAt(held, count - 1) * 1000 - nowUs or 0
      end
      if cost == 0 then
        return count > capacity and 2 or 1, state, capacity - count, 0, count > 0 and expiryAt(held, count - 1) * 1000 - nowUs or 0
      end
      local permits, expiryMs = cost, nowMs + leaseMs
      if from then
        permits = (last - from + 1) / PERMIT
        held, count = sub(held, 1, from - 1) .. sub(held, last + 1), count - permits
      end
      local taken, earlier = rep(own .. expiryBytes(expiryMs), permits), countUntil(held, count, expiryMs)
      local nextState
      if earlier == count then
        nextState = held .. taken
      else
        nextState = sub(held, 1, earlier * PERMIT) .. taken .. sub(held, earlier * PERMIT + 1)
      end
      count = count + permits
      return count > capacity and 2 or 1, nextState, capacity - count, 0, expiryAt(nextState, count - 1) * 1000 - nowUs
    end,

    refund = function(state, b, at, units, atUs, nowUs)
      if holder == 0 then
        return state
      end
      local held = heldAt(state, b[at + LEASE_MS], floor(nowUs / 1000))
      local from, last = findOwn(held, holderBytes(holder))
      if not from then
        return state
      end
      local left = sub(held, 1, from - 1) .. sub(held, last + 1)
      return left ~= '' and left or nil
    end,

    rebase = function(state, b, from, to, rule, atUs)
      local atMs = floor(atUs / 1000)
      local held, count = heldAt(state, b[from + LEASE_MS], atMs)
      if rule == RESET or count == 0 then
        return nil
      end
      local latestMs = atMs + b[to + LEASE_MS]
      local kept, pieces, expiry = countUntil(held, count, latestMs), {}, expiryBytes(latestMs)
      for index = kept, count - 1 do
        pieces[#pieces + 1] = sub(held, index * PERMIT + 1, index * PERMIT + HOLDER_SIZE) .. expiry
      end
      return sub(held, 1, kept * PERMIT) .. concat(pieces)
    end,
  }
end
