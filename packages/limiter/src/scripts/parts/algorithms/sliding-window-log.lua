--[[ sliding_window_log: twin of algorithms/sliding-window-log.ts.
Parameters: extra (units), capacity (units, 1 or more), window (us, 1 or more), maximum delay (us, 0: none).
State l1: big-endian bytes: 7 of the newest entry's time (Unix us), 3 of the total units; then the entries, oldest first: 6 of the time
modulo 2^48, 1 of the units, 1 to 255, so that more units of one time take several entries; then the mark.
In Lua: { newest time, units, text, from, to, tail }: the entries are text from `from` to `to`, then tail. Text is not copied, expired
entries are skipped, and new ones are appended to the tail; only encode copies.
Source: docs/adr/0012-algorithms.md ]]
local WINDOW_US <const> = 2
local MAX_DELAY_US <const> = 3
-- Slots of the state in Lua.
local NEWEST_US <const> = 1
local TOTAL <const> = 2
local TEXT <const> = 3
local FROM <const> = 4
local TO <const> = 5
local TAIL <const> = 6
-- Bytes of the text before the entries, of an entry, of its time, and of the mark.
local HEADER <const> = 10
local ENTRY <const> = 7
local TIME <const> = 6
local MARK_SIZE <const> = 3
local CYCLE_US <const> = 2 ^ 48
local MAX_ENTRY_UNITS <const> = 255
local MAX_UNITS <const> = 65535

MAKE[SLIDING_WINDOW_LOG] = function()
  local rep = string.rep

  local function timeAt(text, from, newestUs)
    local u, v, w, x, y, z = byte(text, from, from + TIME - 1)
    return newestUs - (newestUs - ((((u * 256 + v) * 256 + w) * 256 + x) * 256 + y) * 256 - z) % CYCLE_US
  end

  local function entriesOf(atUs, units)
    local time = atUs % CYCLE_US
    local stamp = char(
      floor(time / 2 ^ 40), floor(time / 2 ^ 32) % 256, floor(time / 2 ^ 24) % 256,
      floor(time / 2 ^ 16) % 256, floor(time / 2 ^ 8) % 256, time % 256
    )
    if units <= MAX_ENTRY_UNITS then
      return stamp .. char(units)
    end
    local full = floor((units - 1) / MAX_ENTRY_UNITS)
    return rep(stamp .. char(MAX_ENTRY_UNITS), full) .. stamp .. char(units - full * MAX_ENTRY_UNITS)
  end

  -- Number of the `count` entries from `from` on that are at or before `untilUs`; the last entry is later.
  local function countUntil(text, from, count, newestUs, untilUs)
    local low, high = -1, 0
    while high < count - 1 and timeAt(text, from + high * ENTRY, newestUs) <= untilUs do
      low, high = high, high * 2 + 1
    end
    if high > count - 1 then
      high = count - 1
    end
    while high - low > 1 do
      local middle = floor((low + high) / 2)
      if timeAt(text, from + middle * ENTRY, newestUs) <= untilUs then
        low = middle
      else
        high = middle
      end
    end
    return high
  end

  -- Current log: newest, units, text, from, to, tail.
  local function logOf(state, windowUs, maxDelayUs, nowUs)
    local oldestUs = nowUs - windowUs
    if not state then
      return 0, 0, '', 1, 0, ''
    end
    local newestUs, total, text = state[NEWEST_US], state[TOTAL], state[TEXT]
    if newestUs <= oldestUs or newestUs > nowUs + windowUs + maxDelayUs then
      return 0, 0, '', 1, 0, ''
    end
    local from, to, tail = state[FROM], state[TO], state[TAIL]
    if from <= to and timeAt(text, from, newestUs) > oldestUs then
      return newestUs, total, text, from, to, tail
    end
    if tail ~= '' and (from > to or timeAt(text, to - TIME, newestUs) <= oldestUs) then
      text = sub(text, from, to) .. tail
      from, to, tail = 1, #text, ''
    end
    local count = (to - from + 1) / ENTRY
    local expired = countUntil(text, from, count, newestUs, oldestUs)
    local gone = expired
    -- Most logs have one unit per entry, so nothing needs to be summed.
    if count + #tail / ENTRY ~= total then
      gone = 0
      for i = from + TIME, from + expired * ENTRY - 1, ENTRY do
        gone = gone + byte(text, i)
      end
    end
    return newestUs, total - gone, text, from + expired * ENTRY, to, tail
  end

  -- When enough of the oldest units have expired to free `excess`.
  local function fitsAtUs(newestUs, total, text, from, to, tail, excess, windowUs)
    local count = (to - from + 1) / ENTRY
    if excess > count and tail ~= '' then
      text = sub(text, from, to) .. tail
      from, to, tail, count = 1, #text, '', #text / ENTRY
    end
    if count + #tail / ENTRY == total then
      return timeAt(text, from + (excess - 1) * ENTRY, newestUs) + windowUs
    end
    for i = from, to, ENTRY do
      excess = excess - byte(text, i + TIME)
      if excess <= 0 then
        return timeAt(text, i, newestUs) + windowUs
      end
    end
  end

  local function logged(newestUs, total, text, from, to, tail, atUs, units)
    total = total + units
    if newestUs == atUs and tail ~= '' then
      units = units + byte(tail, -1)
      tail = sub(tail, 1, -1 - ENTRY)
    elseif newestUs == atUs then
      units = units + byte(text, to)
      to = to - ENTRY
    end
    return { atUs, total, text, from, to, tail .. entriesOf(atUs, units) }
  end

  -- Removes units from entry `last` (from 0) backwards, optionally only of time `onlyUs`; returns the entries and the
  -- units still to remove.
  local function without(entries, last, units, newestUs, onlyUs)
    local i, part = last, ''
    while i >= 0 and units > 0 and (not onlyUs or timeAt(entries, i * ENTRY + 1, newestUs) == onlyUs) do
      local own = byte(entries, (i + 1) * ENTRY)
      if own > units then
        part = sub(entries, i * ENTRY + 1, i * ENTRY + TIME) .. char(own - units)
        units = 0
      else
        units = units - own
      end
      i = i - 1
    end
    return sub(entries, 1, (i + 1) * ENTRY) .. part .. sub(entries, (last + 1) * ENTRY + 1), units
  end

  return {
    parameters = 4,

    decode = function(text)
      if #text < HEADER + MARK_SIZE or (#text - HEADER - MARK_SIZE) % ENTRY ~= 0 then
        return nil
      end
      local n, o, p, q, r, s, t, u, v, w = byte(text, 1, HEADER)
      local newestUs = (((((n * 256 + o) * 256 + p) * 256 + q) * 256 + r) * 256 + s) * 256 + t
      return { newestUs, (u * 256 + v) * 256 + w, text, HEADER + 1, #text - MARK_SIZE, '' }
    end,

    encode = function(state, mark)
      local newestUs, total = state[NEWEST_US], state[TOTAL]
      local header = char(
        floor(newestUs / 2 ^ 48), floor(newestUs / 2 ^ 40) % 256, floor(newestUs / 2 ^ 32) % 256,
        floor(newestUs / 2 ^ 24) % 256, floor(newestUs / 2 ^ 16) % 256, floor(newestUs / 2 ^ 8) % 256, newestUs % 256,
        floor(total / 2 ^ 16), floor(total / 2 ^ 8) % 256, total % 256
      )
      return header .. sub(state[TEXT], state[FROM], state[TO]) .. state[TAIL] .. mark
    end,

    step = function(state, b, at, cost, nowUs)
      local extra, capacity, windowUs, maxDelayUs = b[at + EXTRA], b[at + CAPACITY], b[at + WINDOW_US], b[at + MAX_DELAY_US]
      local newestUs, total, text, from, to, tail = logOf(state, windowUs, maxDelayUs, nowUs)
      local most = capacity + extra
      local excess, runUs = total + cost - most, nowUs
      if newestUs > nowUs then
        runUs = newestUs
      end
      local waitUs = 0
      if cost > most then
        waitUs = -1
      elseif maxDelayUs > 0 then
        if excess > 0 then
          local fitsUs = fitsAtUs(newestUs, total, text, from, to, tail, excess, windowUs)
          if fitsUs > runUs then
            runUs = fitsUs
          end
        end
        waitUs = runUs - nowUs
      elseif excess > 0 then
        waitUs = fitsAtUs(newestUs, total, text, from, to, tail, excess, windowUs) - nowUs
      end
      if waitUs < 0 or waitUs > maxDelayUs then
        return 0, state, capacity - total, waitUs < 0 and -1 or waitUs - maxDelayUs,
          total == 0 and 0 or newestUs + windowUs - nowUs
      end
      local nextState = state
      if cost > 0 then
        nextState = logged(newestUs, total, text, from, to, tail, runUs, cost)
        newestUs, total = runUs, total + cost
      end
      local outcome = maxDelayUs == 0 and total > capacity and 2 or 1
      return outcome, nextState, capacity - total, waitUs, total == 0 and 0 or newestUs + windowUs - nowUs
    end,

    refund = function(state, b, at, units, atUs, nowUs)
      local windowUs, maxDelayUs = b[at + WINDOW_US], b[at + MAX_DELAY_US]
      local newestUs, total, text, from, to, tail = logOf(state, windowUs, maxDelayUs, nowUs)
      if total == 0 or units == 0 or atUs <= nowUs - windowUs then
        return state
      end
      local entries, left = sub(text, from, to) .. tail, units
      local last = #entries / ENTRY - 1
      if atUs < newestUs then
        last = countUntil(entries, 1, last + 1, newestUs, atUs) - 1
      end
      entries, left = without(entries, last, left, newestUs, atUs)
      entries, left = without(entries, #entries / ENTRY - 1, left, newestUs)
      if entries == '' then
        return { 0, 0, '', 1, 0, '' }
      end
      return { timeAt(entries, #entries - TIME, newestUs), total - units + left, entries, 1, #entries, '' }
    end,

    -- carriedOver applies to the sum from the newest on, so that the oldest are lost.
    rebase = function(state, b, from, to, rule, atUs)
      local newestUs, total, text, first, last, tail = logOf(state, b[from + WINDOW_US], b[from + MAX_DELAY_US], atUs)
      local entries, latestUs = sub(text, first, last) .. tail, atUs + b[to + WINDOW_US] + b[to + MAX_DELAY_US]
      local times, units, count, before, carriedBefore = {}, {}, 0, 0, 0
      for i = #entries - TIME, 1, -ENTRY do
        local thenUs = timeAt(entries, i, newestUs)
        if thenUs > latestUs then
          thenUs = latestUs
        end
        before = before + byte(entries, i + TIME)
        local carried = carriedOver(before, b[from + CAPACITY], b[to + CAPACITY], rule)
        if carried > MAX_UNITS then
          carried = MAX_UNITS
        end
        if times[count] == thenUs then
          units[count] = units[count] + carried - carriedBefore
        elseif carried > carriedBefore then
          count = count + 1
          times[count], units[count] = thenUs, carried - carriedBefore
        end
        carriedBefore = carried
      end
      if count == 0 then
        return nil
      end
      local parts = {}
      for i = count, 1, -1 do
        parts[#parts + 1] = entriesOf(times[i], units[i])
      end
      local packed = concat(parts)
      return { times[1], carriedBefore, packed, 1, #packed, '' }
    end,
  }
end
