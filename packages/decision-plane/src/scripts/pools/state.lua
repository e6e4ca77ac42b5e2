--[[ Reads what is stored of a pool, and forgets what is too old to count.

Fields   c            the correction: { permille, stepped at ms, reported at ms }
         s:<service>  its last word: { at ms, utilisation in thousandths }
         n:<node>     its last report: { order, at ms, held, own by rank x 3, demand by rank x 3,
                      then for each borrower: tenant, weight, borrowed, demand by rank x 3 } ]]
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
