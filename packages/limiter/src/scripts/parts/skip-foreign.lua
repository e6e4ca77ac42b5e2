--[[ Part of the variant of decide for several slots: removes requests with foreign keys from the batch; they are neither decided nor
charged. The reply begins with [now us, number of these requests, for each its position, from 1]. ]]
reply[2], r = 0, 2
if foreign then
  local to, from, last, position = at, at, #batch, 0
  while from <= last do
    position = position + 1
    local head, first, isForeign = batch[from], from + 1, false
    if head % 4 >= 2 then
      isForeign, first = foreign[batch[from + 1]], from + 6
    end
    local after = first + floor(head / 4) * 3
    for j = first, after - 1, 3 do
      isForeign = isForeign or foreign[batch[j]]
    end
    if isForeign then
      reply[2], r = reply[2] + 1, r + 1
      reply[r] = position
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
end
