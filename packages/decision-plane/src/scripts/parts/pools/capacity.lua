-- Twin of pools/capacity.ts. A correction is { permille, steppedAtMs, reportedAtMs }.
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

-- worst: thousandths, the busiest service of those whose last word counts.
local function stepCorrection(correction, worst, nowMs)
  local permille = correctionAt(correction, nowMs)
  if abs(nowMs - correction[2]) < STEP_MS then
    return { permille, correction[2], nowMs }
  end
  if worst > 1000 then
    local cut = max(500, min(900, floor(1000000 / worst)))
    permille = max(FLOOR_PERMILLE, floor(permille * cut / 1000))
  elseif worst < 900 then
    permille = min(1000, permille + INCREASE_PERMILLE)
  end
  return { permille, nowMs, nowMs }
end
