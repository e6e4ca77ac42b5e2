--[[ sliding_window_counter: twin of algorithms/sliding-window-counter.ts.
Parameters: extra (units), capacity (units, 1 or more), sub-window (ms, 1 or more), number of sub-windows (2 or more).
State c1: big-endian bytes: 6 of the newest sub-window's start (Unix ms), 7 of the total, then the counts, newest first, without
trailing zeros, each with the width of the total; then the mark.
In Lua: { start, total, newest count, older counts as bytes, bytes per count }, so that a request in the newest sub-window reads no
other.
Source: docs/adr/0012-algorithms.md ]]
local BUCKET_MS <const> = 2
local BUCKETS <const> = 3
-- Slots of the state in Lua.
local START_MS <const> = 1
local TOTAL <const> = 2
local NEWEST <const> = 3
local OLDER <const> = 4
local WIDTH <const> = 5
-- Bytes of the text before the counts, and of the mark.
local HEADER <const> = 13
local MARK_SIZE <const> = 3
local MAX_COUNT <const> = 2 ^ 52

MAKE[SLIDING_WINDOW_COUNTER] = function()
  local find, rep = string.find, string.rep

  local function widthOf(total)
    local width, most = 1, 256
    while total >= most do
      width, most = width + 1, most * 256
    end
    return width
  end

  local function countAt(text, from, width)
    local count = byte(text, from)
    for i = from + 1, from + width - 1 do
      count = count * 256 + byte(text, i)
    end
    return count
  end

  local function bytesOf(count, width)
    local text = char(count % 256)
    for _ = 2, width do
      count = floor(count / 256)
      text = char(count % 256) .. text
    end
    return text
  end

  -- Removes the oldest counts that are 0, at the end.
  local function trimmed(older, width)
    local last = #older
    while last > 0 and byte(older, last) == 0 do
      last = last - 1
    end
    last = last + (width - last % width) % width
    return last < #older and sub(older, 1, last) or older
  end

  local function resized(older, width, newWidth)
    local parts = {}
    for from = 1, #older, width do
      parts[#parts + 1] = bytesOf(countAt(older, from, width), newWidth)
    end
    return concat(parts)
  end

  -- Current start, total, newest, older, width (of the stored total).
  local function bucketsOf(state, bucketMs, buckets, nowMs)
    local startMs = nowMs - nowMs % bucketMs
    if not state then
      return startMs, 0, 0, '', 1
    end
    local storedMs, total, newest = state[START_MS], state[TOTAL], state[NEWEST]
    local older, width = state[OLDER], state[WIDTH]
    local aheadMs = storedMs - startMs
    local age = aheadMs < 0 and floor(-aheadMs / bucketMs) or 0
    if aheadMs > bucketMs * buckets or age >= buckets then
      return startMs, 0, 0, '', 1
    end
    if aheadMs > 0 then
      startMs = storedMs
    end
    if age > 0 then
      older = rep('\0', (age - 1) * width) .. bytesOf(newest, width) .. older
      newest = 0
    end
    local most = (buckets - 1) * width
    if #older > most then
      for from = most + 1, #older, width do
        total = total - countAt(older, from, width)
      end
      older = sub(older, 1, most)
      older = trimmed(older, width)
    elseif total == 0 then
      older = ''
    end
    return startMs, total, newest, older, width
  end

  local function stateOf(startMs, total, newest, older, width)
    local newWidth = widthOf(total)
    if newWidth ~= width then
      older = resized(older, width, newWidth)
    end
    return { startMs, total, newest, older, newWidth }
  end

  -- When enough of the oldest sub-windows have expired to free `excess`, Unix ms.
  local function passesAtMs(startMs, older, width, bucketMs, buckets, excess)
    local age, from = #older / width, #older - width + 1
    while age > 0 do
      excess = excess - countAt(older, from, width)
      if excess <= 0 then
        break
      end
      age, from = age - 1, from - width
    end
    return startMs + (buckets - age) * bucketMs
  end

  local function listOf(newest, older, width)
    local counts = { newest }
    for from = 1, #older, width do
      counts[#counts + 1] = countAt(older, from, width)
    end
    return counts
  end

  -- Encodes a list, newest first; nil if all counts are 0.
  local function packed(startMs, counts, last)
    local total = 0
    for i = 1, last do
      total = total + counts[i]
    end
    if total > 0 then
      local width, parts = widthOf(total), {}
      for i = 2, last do
        parts[i - 1] = bytesOf(counts[i], width)
      end
      return { startMs, total, counts[1], trimmed(concat(parts), width), width }
    end
  end

  local function regrouped(startMs, counts, bucketMs, newMs, buckets, atMs)
    local newestMs, moved = atMs - atMs % newMs, {}
    for i = 1, buckets do
      moved[i] = 0
    end
    for i = 1, #counts do
      local age = -floor((startMs + (2 - i) * bucketMs - 1 - newestMs) / newMs)
      if age < 0 then
        age = 0
      end
      if age < buckets then
        moved[age + 1] = moved[age + 1] + counts[i]
      end
    end
    return packed(newestMs, moved, buckets)
  end

  return {
    parameters = 4,

    decode = function(text)
      if #text < HEADER + MARK_SIZE then
        return nil
      end
      local h, i, j, k, l, m, n, o, p, q, r, s, t = byte(text, 1, HEADER)
      local startMs = ((((h * 256 + i) * 256 + j) * 256 + k) * 256 + l) * 256 + m
      local total = (((((n * 256 + o) * 256 + p) * 256 + q) * 256 + r) * 256 + s) * 256 + t
      local width = widthOf(total)
      if (#text - HEADER - MARK_SIZE) % width ~= 0 then
        return nil
      elseif #text == HEADER + MARK_SIZE then
        return { startMs, total, 0, '', width }
      end
      return { startMs, total, countAt(text, HEADER + 1, width), sub(text, HEADER + 1 + width, -1 - MARK_SIZE), width }
    end,

    encode = function(state, mark)
      local startMs, total, width = state[START_MS], state[TOTAL], state[WIDTH]
      local header = char(
        floor(startMs / 2 ^ 40), floor(startMs / 2 ^ 32) % 256, floor(startMs / 2 ^ 24) % 256,
        floor(startMs / 2 ^ 16) % 256, floor(startMs / 2 ^ 8) % 256, startMs % 256,
        floor(total / 2 ^ 48), floor(total / 2 ^ 40) % 256, floor(total / 2 ^ 32) % 256, floor(total / 2 ^ 24) % 256,
        floor(total / 2 ^ 16) % 256, floor(total / 2 ^ 8) % 256, total % 256
      )
      if total == 0 then
        return header .. mark
      end
      return header .. bytesOf(state[NEWEST], width) .. state[OLDER] .. mark
    end,

    step = function(state, b, at, cost, nowUs)
      local extra, capacity, bucketMs, buckets = b[at + EXTRA], b[at + CAPACITY], b[at + BUCKET_MS], b[at + BUCKETS]
      local startMs, total, newest, older, width = bucketsOf(state, bucketMs, buckets, floor(nowUs / 1000))
      local outcome, nextState, waitUs, age = 0, state, 0, 0
      local excess = total + cost - capacity - extra
      if excess <= 0 then
        total = total + cost
        outcome = total > capacity and 2 or 1
        if cost > 0 then
          newest = newest + cost
          nextState = stateOf(startMs, total, newest, older, width)
        end
      elseif cost > capacity + extra then
        waitUs = -1
      else
        waitUs = passesAtMs(startMs, older, width, bucketMs, buckets, excess) * 1000 - nowUs
      end
      if total == 0 then
        return outcome, nextState, capacity, waitUs, 0
      end
      if newest == 0 then
        age = floor((find(older, '[^%z]') - 1) / width) + 1
      end
      return outcome, nextState, capacity - total, waitUs, (startMs + (buckets - age) * bucketMs) * 1000 - nowUs
    end,

    refund = function(state, b, at, units, atUs, nowUs)
      if not state then
        return state
      end
      local bucketMs, buckets = b[at + BUCKET_MS], b[at + BUCKETS]
      local startMs, total, newest, older, width = bucketsOf(state, bucketMs, buckets, floor(nowUs / 1000))
      local age = -floor((floor(atUs / 1000) - startMs) / bucketMs)
      if age <= 0 or nowUs < startMs * 1000 then
        if newest == 0 then
          return state
        end
        local given = units < newest and units or newest
        return stateOf(startMs, total - given, newest - given, older, width)
      end
      local from = (age - 1) * width + 1
      if from > #older then
        return state
      end
      local count = countAt(older, from, width)
      if count == 0 then
        return state
      end
      local given = units < count and units or count
      older = sub(older, 1, from - 1) .. bytesOf(count - given, width) .. sub(older, from + width)
      return stateOf(startMs, total - given, newest, trimmed(older, width), width)
    end,

    -- carriedOver applies to the sum from the newest on, so that the oldest are lost.
    rebase = function(state, b, from, to, rule, atUs)
      local atMs = floor(atUs / 1000)
      local capacity, bucketMs, buckets = b[from + CAPACITY], b[from + BUCKET_MS], b[from + BUCKETS]
      local newCapacity, newBucketMs, newBuckets = b[to + CAPACITY], b[to + BUCKET_MS], b[to + BUCKETS]
      local startMs, _, newest, older, width = bucketsOf(state, bucketMs, buckets, atMs)
      local counts, before, carriedBefore = listOf(newest, older, width), 0, 0
      for i = 1, #counts do
        before = before + counts[i]
        local carried = carriedOver(before, capacity, newCapacity, rule)
        if carried > MAX_COUNT then
          carried = MAX_COUNT
        end
        counts[i], carriedBefore = carried - carriedBefore, carried
      end
      if bucketMs ~= newBucketMs then
        return regrouped(startMs, counts, bucketMs, newBucketMs, newBuckets, atMs)
      end
      return packed(startMs, counts, #counts < newBuckets and #counts or newBuckets)
    end,
  }
end
