--[[ Reads the stored state of a pool, and deletes expired reports.

Fields   c            the correction: { permille, stepped at ms, reported at ms }
         s:<service>  its last report: { at ms, utilization in permille }
         w            the last cold start: { at ms }; only in the warm-up
         n:<node>     its last report: { order, at ms, reserved, own by rank x 3, demand by rank x 3,
                      then per borrower: tenant, weight, borrowed, demand by rank x 3 } ]]
-- Twin of pools/exchange.ts. A correction is { permille, steppedAtMs, reportedAtMs }.
local FLOOR_PERMILLE, INCREASE_PERMILLE, STEP_MS = 100, 50, 1000
local REPORT_COUNTS_MS, REPORTS_FORGOTTEN_MS = 5000, 9000

local function correctionAt(correction, nowMs)
  local permille, ageMs = correction[1], abs(nowMs - correction[3])
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
  if abs(nowMs - correction[2]) < STEP_MS then
    return { permille, correction[2], nowMs }
  end
  if worst > 1000 then
    local cut = max(500, min(900, floor(1000000 / worst)))
    permille = max(FLOOR_PERMILLE, floor(min(permille, warm) * cut / 1000))
  elseif worst < 900 then
    permille = min(1000, permille + INCREASE_PERMILLE)
  end
  return { permille, nowMs, nowMs }
end

local REPORT_FULL_MS, REPORT_ENDS_MS = 500, 1500

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
    units = units + node.record[4] + node.record[5] + node.record[6]
  end
  return units
end

local function fade(record, ageMs)
  for i = 3, #record do
    local column = i < 10 and 0 or (i - 10) % 6
    if i < 10 or column > 1 then
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
      if abs(nowMs - record[1]) < warmUpMs then
        startedAtMs = record[1]
      else
        redis.call('HDEL', key, field)
      end
    elseif kind == 's' then
      if abs(nowMs - record[1]) <= REPORT_COUNTS_MS then
        services[name] = record[2]
      else
        redis.call('HDEL', key, field)
      end
    else
      local ageMs = abs(nowMs - record[2])
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
    return a.record[1] < b.record[1]
  end)
  return nodes, correction, services, startedAtMs
end
