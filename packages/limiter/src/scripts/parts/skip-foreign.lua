--[[ Part of the variant of decide for several slots: removes requests with foreign keys from the batch; they are neither decided nor
charged. Declares the reply, which begins with [now us, number of these requests, for each its position, from 1], and the position of its
last integer. ]]

-- Removes the requests from `at` on that use keys in `foreign`. Returns their positions.
local function removeForeign(at, foreign)
  local removed, to, from, last, position = {}, at, at, #batch, 0
  while from <= last do
    position = position + 1
    local head, order, isForeign = batch[from], from + 1, false
    local first = order
    if head % 4 >= WITH_RECEIPT then
      isForeign, first = foreign[batch[order + RECEIPT_KEY]], order + RECEIPT_SIZE
    end
    local after = first + floor(head / 4) * CHECK_SIZE
    for j = first, after - 1, CHECK_SIZE do
      isForeign = isForeign or foreign[batch[j + CHECK_KEY]]
    end
    if isForeign then
      removed[#removed + 1] = position
    else
      for i = from, after - 1 do
        batch[to], to = batch[i], to + 1
      end
    end
    from = after
  end
  for i = to, last do
    batch[i] = nil
  end
  return removed
end

local reply, r = { nowUs, 0 }, 2
for i, position in ipairs(foreign and removeForeign(at, foreign) or {}) do
  reply[2], reply[2 + i], r = i, position, 2 + i
end
