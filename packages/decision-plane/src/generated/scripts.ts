// Generated from src/scripts/*.lua by packages/limiter/tools/assemble.mjs. Do not edit.

const POOLS_STATE = `--[[ Part of pool-exchange-1 and pool-reading-1: reads the stored state of a pool, and deletes expired reports. Twin of pools/exchange.ts.

Fields   MessagePack arrays (layout.lua)
         c            the correction
         s:<service>  its last report
         w            the last cold start; only in the warm-up
         n:<node>     its last report: order, time, reserved units, own units and demand by rank, borrowers ]]

local function correctionAt(correction, nowMs)
  local permille, ageMs = correction[1], abs(nowMs - correction[3])
  if ageMs <= 5000 then
    return permille
  end
  if ageMs >= 9000 then
    return 1000
  end
  local wayMs = 9000 - 5000
  return permille + floor((1000 - permille) * (ageMs - 5000) / wayMs)
end

-- Part of the capacity in the warm-up, permille. startedAtMs: nil after it.
local function warmUpAt(warmUpMs, startPermille, startedAtMs, nowMs)
  if not startedAtMs then
    return 1000
  end
  return startPermille + floor((1000 - startPermille) * abs(nowMs - startedAtMs) / warmUpMs)
end

-- worst: permille, the highest utilization of services with a recent report; warm: permille, see warmUpAt.
local function stepCorrection(correction, worst, warm, nowMs)
  local permille = correctionAt(correction, nowMs)
  local steppedAtMs = correction[2]
  if abs(nowMs - steppedAtMs) < 1000 then
    return { permille, steppedAtMs, nowMs }
  end
  if worst > 1000 then
    local cut = max(500, min(900, floor(1000000 / worst)))
    permille = max(100, floor(min(permille, warm) * cut / 1000))
  elseif worst < 900 then
    permille = min(1000, permille + 50)
  end
  return { permille, nowMs, nowMs }
end

-- A node's report counts in full, then less and less until its end.

-- given: now, ms since the Unix epoch; '' for the server's clock.
local function nowMsOr(given)
  if given ~= '' then
    return tonumber(given)
  end
  local time = redis.call('TIME')
  return tonumber(time[1]) * 1000 + floor(tonumber(time[2]) / 1000)
end

-- Units that the nodes admitted within tenants' own limits in the last second.
local function ownUnitsOf(nodes)
  local units = 0
  for _, node in ipairs(nodes) do
    local record = node.record
    units = units + record[3 + 1] + record[3 + 2] + record[3 + 3]
  end
  return units
end

local function fade(record, ageMs)
  for i = 3, #record do
    -- Tenant and weight of a borrower are no units.
    if i < 10 or (i - 10) % 6 >= 2 then
      record[i] = floor(record[i] * (1500 - ageMs) / (1500 - 500))
    end
  end
end

-- Returns the nodes in order, the correction, each service's report, and the cold start, ms; nil after the warm-up.
local function readPool(key, nowMs, warmUpMs)
  local nodes, services, correction, startedAtMs = {}, {}, { 1000, 0, 0 }, nil
  local fields = redis.call('HGETALL', key)
  for i = 1, #fields, 2 do
    local field, record = fields[i], cmsgpack.unpack(fields[i + 1])
    local kind, name = sub(field, 1, 1), sub(field, 3)
    if kind == 'c' then
      correction = record
    elseif kind == 'w' then
      if abs(nowMs - record[1]) < warmUpMs then
        startedAtMs = record[1]
      else
        redis.call('HDEL', key, field)
      end
    elseif kind == 's' then
      if abs(nowMs - record[1]) <= 5000 then
        services[name] = record[2]
      else
        redis.call('HDEL', key, field)
      end
    else
      local ageMs = abs(nowMs - record[2])
      if ageMs >= 1500 then
        redis.call('HDEL', key, field)
      else
        if ageMs > 500 then
          fade(record, ageMs)
        end
        nodes[#nodes + 1] = { name = name, record = record }
      end
    end
  end
  sort(nodes, function(a, b)
    return a.record[1] < b.record[1]
  end)
  return nodes, correction, services, startedAtMs
end`;

export const POOL_EXCHANGE_SCRIPT = `--[[ pool-exchange-1: stores a node's report about a pool and returns the node's allowance until its next report.

KEYS[1]  the pool's hash; fields: pools/state.lua
ARGV[1]  MessagePack array of non-negative integers: [capacity (units/s), reclaim level (percent), own units by rank x 3, own demand
         by rank x 3, borrowers, services, warm-up (ms; 0: none), its start (permille), age of a reported cold start (ms; the
         warm-up's length: none), borrowers x (weight, borrowed, demand by rank x 3), services x utilization (permille)]; units
         are of the last second; ranks: 1 critical, 2 normal, 3 background
ARGV[2]  now, ms since the Unix epoch; '' for the server's clock (always, except in tests)
ARGV[3]  node id; then the borrowing tenants, distinct; then the services' names
Reply    MessagePack array of integers: [corrected capacity, own limits by rank x 3, first rank without enough capacity 0..3, cap of
         that rank, then per borrower: total grant, grant by rank x 3]
Source   docs/adr/0014-elastic-pools.md
Binding  scripts/pools.ts; model: pools/exchange.ts ]]
local abs, floor, max, min, sort, sub = math.abs, math.floor, math.max, math.min, table.sort, string.sub
-- For garbage collection: all reports have expired by then. A warm-up may last longer.
${POOLS_STATE}
-- Twin of Spread in pools/pool.ts: a function that rounds one part after the other, so that the sum is preserved.

local function newSpread(nowMs)
  local offset = ((floor(nowMs / 2000) % 1000000) * 618034) % 1000000 / 1000000
  local sum, given = 0, 0
  return function(part)
    sum = sum + part
    local upTo = floor(sum + offset)
    local whole = upTo - given
    given = upTo
    return whole
  end
end

-- Twin of pools/allowances.ts. Returns the limits of the three ranks, the first rank without enough capacity (3: none), and this node's
-- part of it.

local function ownAllowance(nodes, index, capacity, nowMs)
  local load, demand = { 0, 0, 0 }, { 0, 0, 0 }
  for _, node in ipairs(nodes) do
    for rank = 1, 3 do
      load[rank] = load[rank] + node.record[3 + rank]
      demand[rank] = demand[rank] + node.record[6 + rank]
    end
  end
  local total = load[1] + load[2] + load[3]
  local record = nodes[index].record
  local mine = record[3 + 1] + record[3 + 2] + record[3 + 3]
  local function limitOf(lessImportant)
    local ceiling = capacity + min(floor(capacity / 10), lessImportant)
    if total <= ceiling then
      return ceiling - (total - mine)
    end
    return floor(mine * ceiling / total)
  end
  local short, cap, left = 3, 0, capacity
  for rank = 1, 3 do
    if demand[rank] > left then
      local spread = newSpread(nowMs)
      for i, node in ipairs(nodes) do
        local whole = spread(left * node.record[6 + rank] / demand[rank])
        if i == index then
          cap = whole
        end
      end
      short = rank - 1
      break
    end
    left = left - demand[rank]
  end
  return limitOf(load[2] + load[3]), limitOf(load[3]), limitOf(0), short, cap
end

-- Twin of pools/allowances.ts.

local function waterFill(units, demands, weights)
  local order, parts, left, weightLeft = {}, {}, units, 0
  for i = 1, #demands do
    order[i] = i
  end
  sort(order, function(a, b)
    local difference = demands[a] * weights[b] - demands[b] * weights[a]
    return difference < 0 or (difference == 0 and a < b)
  end)
  for _, i in ipairs(order) do
    weightLeft = weightLeft + weights[i]
  end
  for _, i in ipairs(order) do
    local part = min(demands[i], left * weights[i] / weightLeft)
    parts[i] = part
    left = left - part
    weightLeft = weightLeft - weights[i]
  end
  return parts
end

-- Aggregates tenants over all nodes: weights and demands by rank, by tenant; sum of weights, sums of demands by rank.
local function tenantsOf(nodes)
  local tenants, weights, weightSum = {}, {}, 0
  local critical, normal, background = {}, {}, {}
  local criticalSum, normalSum, backgroundSum = 0, 0, 0
  for _, node in ipairs(nodes) do
    local record = node.record
    for i = 10, #record, 6 do
      local tenant, weight = record[i + 0], record[i + 1]
      local k = tenants[tenant]
      if not k then
        k = #weights + 1
        tenants[tenant], weights[k], critical[k], normal[k], background[k] = k, 0, 0, 0, 0
      end
      if weight > weights[k] then
        weights[k] = weight
      end
      critical[k] = critical[k] + record[i + 2 + 1]
      normal[k] = normal[k] + record[i + 2 + 2]
      background[k] = background[k] + record[i + 2 + 3]
    end
  end
  for k = 1, #weights do
    criticalSum, normalSum = criticalSum + critical[k], normalSum + normal[k]
    backgroundSum, weightSum = backgroundSum + background[k], weightSum + weights[k]
  end
  return tenants, weights, weightSum, { critical, normal, background }, { criticalSum, normalSum, backgroundSum }
end

-- A grant: total units, then units by rank. In the order of the borrowers of node \`index\`.

local function fairGrants(nodes, index, spare, nowMs)
  local tenants, weights, weightSum, demands, sums = tenantsOf(nodes)
  local left, parts, grants = spare, {}, {}
  for rank = 1, 3 do
    parts[rank] = waterFill(left, demands[rank], weights)
    left = left - min(left, sums[rank])
  end
  local spreads, spreadRest = { newSpread(nowMs), newSpread(nowMs), newSpread(nowMs) }, newSpread(nowMs)
  for n, node in ipairs(nodes) do
    local record = node.record
    for i = 10, #record, 6 do
      local k, whole = tenants[record[i + 0]], { 0, 0, 0 }
      for rank = 1, 3 do
        local mine = record[i + 2 + rank]
        -- Rounding skips empty parts.
        if mine > 0 then
          whole[rank] = spreads[rank](parts[rank][k] * mine / demands[rank][k])
        end
      end
      local extra, wanted = 0, demands[1][k] + demands[2][k] + demands[3][k]
      if left > 0 and wanted > 0 then
        local from = i + 2
        local mine = record[from + 1] + record[from + 2] + record[from + 3]
        extra = spreadRest(left * weights[k] / weightSum * mine / wanted)
      end
      if n == index then
        local critical, normal, background = whole[1], whole[2], whole[3]
        grants[#grants + 1] = { critical + normal + background + extra, critical + extra, normal + extra, background + extra }
      end
    end
  end
  return grants
end

-- Limits a node's growth to the units that other nodes have returned. Returns the grants and the units they reserve for the node.
local function grantsOf(nodes, index, spare, nowMs)
  local record = nodes[index].record
  if #record < 10 then
    return {}, 0
  end
  local grants, available = fairGrants(nodes, index, spare, nowMs), spare
  for n, node in ipairs(nodes) do
    if n ~= index then
      local lent = 0
      for i = 10, #node.record, 6 do
        lent = lent + node.record[i + 2]
      end
      available = available - max(node.record[3], lent)
    end
  end
  local growths, ones, reserved = {}, {}, 0
  local function borrowedBy(i)
    return record[10 + (i - 1) * 6 + 2]
  end
  for i, grant in ipairs(grants) do
    local borrowed = borrowedBy(i)
    available = available - borrowed
    growths[i], ones[i] = max(0, grant[1] - borrowed), 1
  end
  local room = max(0, available) + floor(spare / (16 * #nodes))
  local reach, spread = waterFill(room, growths, ones), newSpread(nowMs)
  for i, grant in ipairs(grants) do
    local borrowed = borrowedBy(i)
    grant[1] = min(grant[1], borrowed + spread(reach[i]))
    reserved = reserved + max(grant[1], borrowed)
  end
  return grants, reserved
end

-- Positions in the payload; a value by rank is at the position of the field plus the rank.
-- Values of a borrower in the payload: those of its record without the tenant, which is in ARGV.
-- Arguments before the tenants.

local key, payload, nowMs, name = KEYS[1], cmsgpack.unpack(ARGV[1]), nowMsOr(ARGV[2]), ARGV[3]
local borrowers, services, warmUpMs, startAgeMs =
  payload[9], payload[10], payload[11], payload[13]
local nodes, correction, utilizations, startedAtMs = readPool(key, nowMs, warmUpMs)
if startAgeMs < warmUpMs and (not startedAtMs or startAgeMs <= abs(nowMs - startedAtMs)) then
  startedAtMs = nowMs - startAgeMs
  redis.call('HSET', key, 'w', cmsgpack.pack({ startedAtMs }))
end
local warm = warmUpAt(warmUpMs, payload[12], startedAtMs, nowMs)
if services > 0 then
  for i = 1, services do
    local service, utilization = ARGV[3 + borrowers + i], payload[13 + borrowers * (6 - 1) + i]
    utilizations[service] = utilization
    redis.call('HSET', key, 's:' .. service, cmsgpack.pack({ nowMs, utilization }))
  end
  local worst = 0
  for _, utilization in pairs(utilizations) do
    worst = max(worst, utilization)
  end
  correction = stepCorrection(correction, worst, warm, nowMs)
  redis.call('HSET', key, 'c', cmsgpack.pack(correction))
end
local capacity = max(1, floor(payload[1] * min(correctionAt(correction, nowMs), warm) / 1000))

local order, index = #nodes > 0 and nodes[#nodes].record[1] + 1 or 1, #nodes + 1
for i, node in ipairs(nodes) do
  if node.name == name then
    order, index = node.record[1], i
  end
end
local record = { [1] = order, [2] = nowMs, [3] = 0 }
for rank = 1, 3 do
  record[3 + rank], record[6 + rank] = payload[2 + rank], payload[5 + rank]
end
for i = 1, borrowers do
  record[#record + 1] = ARGV[3 + i]
  for column = 1, (6 - 1) do
    record[#record + 1] = payload[13 + (i - 1) * (6 - 1) + column]
  end
end
nodes[index] = { name = name, record = record }

local spare = max(0, floor(capacity * payload[2] / 100) - ownUnitsOf(nodes))
local reply = { capacity, ownAllowance(nodes, index, capacity, nowMs) }
local grants
grants, record[3] = grantsOf(nodes, index, spare, nowMs)
for _, grant in ipairs(grants) do
  for _, units in ipairs(grant) do
    reply[#reply + 1] = units
  end
end
redis.call('HSET', key, 'n:' .. name, cmsgpack.pack(record))
local leftMs = startedAtMs and warmUpMs - abs(nowMs - startedAtMs) or 0
redis.call('PEXPIREAT', key, nowMs + max(20000, leftMs))
return cmsgpack.pack(reply)
`;

export const POOL_READING_SCRIPT = `--[[ pool-reading-1: reads a pool; deletes only expired reports.

KEYS[1]  the pool's hash; fields: pools/state.lua
ARGV[1]  capacity, units/s
ARGV[2]  warm-up, ms; 0: none
ARGV[3]  its start, permille
ARGV[4]  now, ms since the Unix epoch; '' for the server's clock (always, except in tests)
Reply    six integers; for the last second: capacity in effect, own units admitted, units lent, borrowing tenants, nodes with
         traffic; then the time left of the warm-up, ms (0: none)
Source   docs/adr/0014-elastic-pools.md
Binding  scripts/pools.ts ]]
local abs, floor, max, min, sort, sub = math.abs, math.floor, math.max, math.min, table.sort, string.sub
${POOLS_STATE}
local key, maxCapacity, warmUpMs, startPermille = KEYS[1], tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3])
local nowMs = nowMsOr(ARGV[4])
local nodes, correction, _, startedAtMs = readPool(key, nowMs, warmUpMs)
local lent, borrowers = 0, {}
for _, node in ipairs(nodes) do
  local record = node.record
  for i = 10, #record, 6 do
    lent = lent + record[i + 2]
    if record[i + 2] > 0 then
      borrowers[record[i + 0]] = true
    end
  end
end
local count = 0
for _ in pairs(borrowers) do
  count = count + 1
end
local warm = warmUpAt(warmUpMs, startPermille, startedAtMs, nowMs)
local capacity = max(1, floor(maxCapacity * min(correctionAt(correction, nowMs), warm) / 1000))
local leftMs = startedAtMs and warmUpMs - abs(nowMs - startedAtMs) or 0
return { capacity, ownUnitsOf(nodes), lent, count, #nodes, leftMs }
`;

export const PUBLISH_POLICY_SCRIPT = `--[[ publish-policy: publishes a revision, unless the head has changed since the publisher read it.

KEYS[1]  head; KEYS[2] catalogue; KEYS[3..]  tenant records
ARGV[1]  head as read; '' if there was none
ARGV[2]  new head
ARGV[3]  catalogue, JSON; '' if unchanged
ARGV[4]  channel; ARGV[5]  announcement
ARGV[6..]  tenant records in the order of KEYS[3..]; '' deletes one
Reply    1 published, 0 superseded
Binding  policy-redis/policy-store.ts ]]
local headKey, catalogueKey = KEYS[1], KEYS[2]
local expected, head, catalogue, channel, announcement = ARGV[1], ARGV[2], ARGV[3], ARGV[4], ARGV[5]

if (redis.call('GET', headKey) or '') ~= expected then
  return 0
end
for i = 3, #KEYS do
  local record = ARGV[i + 3]
  if record == '' then
    redis.call('DEL', KEYS[i])
  else
    redis.call('SET', KEYS[i], record)
  end
end
if catalogue ~= '' then
  redis.call('SET', catalogueKey, catalogue)
end
redis.call('SET', headKey, head)
redis.call('PUBLISH', channel, announcement)
return 1
`;

export const QUOTA_CHECKPOINT_SCRIPT = `--[[ quota-checkpoint-1: stores observed usage of quota counters in one period.

The highest reading is kept, in any order of writes. After a refund, the first later reading replaces it, and earlier readings are
ignored, even if they arrive later.

KEYS[1]  hash of one tenant and period: counter key -> 'used at lowered-at'
ARGV[1]  expiry of the hash, Unix ms
ARGV[2..]  per counter: key; used (0 to 2^53 - 1); at: counter time of the reading (us); lowered at: counter time of the first reading
         after the last refund (us, 0 none)
Reply    number of changed counters
Binding  policy-redis/quota-store.ts
Source   docs/adr/0016-outage.md ]]
local hash = KEYS[1]
local forgetAtMs = ARGV[1]

local changed = 0
for i = 2, #ARGV, 4 do
  local key, used, at, loweredAt = ARGV[i], tonumber(ARGV[i + 1]), tonumber(ARGV[i + 2]), tonumber(ARGV[i + 3])
  local kept = redis.call('HGET', hash, key) or ''
  local keptUsed, keptAt, keptLoweredAt = string.match(kept, '^(%d+) (%d+) (%d+)\$')
  keptUsed, keptAt, keptLoweredAt = tonumber(keptUsed or 0), tonumber(keptAt or 0), tonumber(keptLoweredAt or 0)
  local lowers = loweredAt > keptAt
  if lowers or (used > keptUsed and at > keptLoweredAt) then
    local text = string.format('%.0f %.0f %.0f', used, at, lowers and loweredAt or keptLoweredAt)
    redis.call('HSET', hash, key, text)
    changed = changed + 1
  end
end
redis.call('PEXPIREAT', hash, forgetAtMs)
return changed
`;

export const READ_NODE_REPORTS_SCRIPT = `--[[ read-node-reports-1: returns the reports of live nodes and deletes outdated ones, by the server's time.

KEYS[1]  hash: node id -> report with \`seenAtMs\`
ARGV[1]  maximum age of a report, ms
Reply    node id, report, node id, report, ...
Binding  policy-redis/node-reports.ts
Source   docs/adr/0047-store-time.md ]]
local key, maxAgeMs = KEYS[1], tonumber(ARGV[1])

local time = redis.call('TIME')
local nowMs = math.floor(tonumber(time[1]) * 1000 + tonumber(time[2]) / 1000)
local reports, live = redis.call('HGETALL', key), {}
for i = 1, #reports, 2 do
  local seenAtMs = tonumber(string.match(reports[i + 1], '"seenAtMs":(%d+)') or 0)
  if nowMs - seenAtMs < maxAgeMs then
    live[#live + 1], live[#live + 2] = reports[i], reports[i + 1]
  else
    redis.call('HDEL', key, reports[i])
  end
end
return live
`;

export const WRITE_NODE_REPORT_SCRIPT = `--[[ write-node-report-1: stores a node's report with the server's time.

KEYS[1]  hash: node id -> report
ARGV[1]  node id
ARGV[2]  report, a JSON object with at least one field and without \`seenAtMs\`
ARGV[3]  channel to announce the report on
Reply    the server's time, us since the Unix epoch, decimal text
Binding  policy-redis/node-reports.ts
Source   docs/adr/0047-store-time.md ]]
local reports, nodeId, report, channel = KEYS[1], ARGV[1], ARGV[2], ARGV[3]

local time = redis.call('TIME')
local nowUs = tonumber(time[1]) * 1000000 + tonumber(time[2])
local stamped = string.format('%s,"seenAtMs":%.0f}', string.sub(report, 1, -2), math.floor(nowUs / 1000))
redis.call('HSET', reports, nodeId, stamped)
redis.call('PUBLISH', channel, nodeId)
return string.format('%.0f', nowUs)
`;
