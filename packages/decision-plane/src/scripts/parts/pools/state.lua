--[[ Part of pool-exchange-1 and pool-reading-1: reads the stored state of a pool, and deletes expired reports. Twin of pools/exchange.ts.

Fields   MessagePack arrays (layout.lua)
         c            the correction
         s:<service>  its last report
         w            the last cold start; only in the warm-up
         n:<node>     its last report: order, time, reserved units, own units and demand by rank, borrowers ]]
local FLOOR_PERMILLE <const> = 100
local INCREASE_PERMILLE <const> = 50
local STEP_MS <const> = 1000
local REPORT_COUNTS_MS <const> = 5000
local REPORTS_FORGOTTEN_MS <const> = 9000

local function correctionAt(correction, nowMs)
  local permille, ageMs = correction[PERMILLE], abs(nowMs - correction[REPORTED_AT_MS])
  if ageMs <= REPORT_COUNTS_MS then
    return permille
  end
  if ageMs >= REPORTS_FORGOTTEN_MS then
    return 1000
  end
  local wayMs = REPORTS_FORGOTTEN_MS - REPORT_COUNTS_MS
  return permille + floor((1000 - permille) * (ageMs - REPORT_COUNTS_MS) / wayMs)
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
  local steppedAtMs = correction[STEPPED_AT_MS]
  if abs(nowMs - steppedAtMs) < STEP_MS then
    return { permille, steppedAtMs, nowMs }
  end
  if worst > 1000 then
    local cut = max(500, min(900, floor(1000000 / worst)))
    permille = max(FLOOR_PERMILLE, floor(min(permille, warm) * cut / 1000))
  elseif worst < 900 then
    permille = min(1000, permille + INCREASE_PERMILLE)
  end
  return { permille, nowMs, nowMs }
end

-- A node's report counts in full, then less and less until its end.
local REPORT_FULL_MS <const> = 500
local REPORT_ENDS_MS <const> = 1500

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
    units = units + record[OWN + CRITICAL] + record[OWN + NORMAL] + record[OWN + BACKGROUND]
  end
  return units
end

local function fade(record, ageMs)
  for i = RESERVED, #record do
    -- Tenant and weight of a borrower are no units.
    if i < BORROWERS or (i - BORROWERS) % BORROWER_SIZE >= BORROWED then
      record[i] = floor(record[i] * (REPORT_ENDS_MS - ageMs) / (REPORT_ENDS_MS - REPORT_FULL_MS))
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
      if abs(nowMs - record[STARTED_AT_MS]) < warmUpMs then
        startedAtMs = record[STARTED_AT_MS]
      else
        redis.call('HDEL', key, field)
      end
    elseif kind == 's' then
      if abs(nowMs - record[SERVICE_AT_MS]) <= REPORT_COUNTS_MS then
        services[name] = record[UTILIZATION]
      else
        redis.call('HDEL', key, field)
      end
    else
      local ageMs = abs(nowMs - record[NODE_AT_MS])
      if ageMs >= REPORT_ENDS_MS then
        redis.call('HDEL', key, field)
      else
        if ageMs > REPORT_FULL_MS then
          fade(record, ageMs)
        end
        nodes[#nodes + 1] = { name = name, record = record }
      end
    end
  end
  sort(nodes, function(a, b)
    return a.record[ORDER] < b.record[ORDER]
  end)
  return nodes, correction, services, startedAtMs
end
