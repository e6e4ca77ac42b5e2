--[[ Reads what is stored of a pool, and forgets what is too old to count.

Fields   c            the correction: { permille, stepped at ms, reported at ms }
         s:<service>  its last word: { at ms, utilisation in thousandths }
         n:<node>     its last report: { order, at ms, held, own by rank x 3, demand by rank x 3,
                      then for each borrower: tenant, weight, borrowed, demand by rank x 3 } ]]
local REPORT_FULL_MS, REPORT_ENDS_MS = 500, 1500

-- given: now, ms since the Unix epoch; '' for the server's clock.
local function nowMsOr(given)
  if given ~= '' then
    return tonumber(given)
  end
  local time = redis.call('TIME')
  return tonumber(time[1]) * 1000 + floor(tonumber(time[2]) / 1000)
end

-- What the nodes admitted within tenants' own limits, units of the last second.
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

-- Returns the nodes in their order, the correction, and what each service said.
local function readPool(key, nowMs)
  local nodes, services, correction = {}, {}, { 1000, 0, 0 }
  local fields = redis.call('HGETALL', key)
  for i = 1, #fields, 2 do
    local field, record = fields[i], cmsgpack.unpack(fields[i + 1])
    local kind, name = sub(field, 1, 1), sub(field, 3)
    if kind == 'c' then
      correction = record
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
  return nodes, correction, services
end
