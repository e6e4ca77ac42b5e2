--[[ Part of decide: the penalties of a request's limits. The check after that of such a limit is its penalty, at cost 0. During a block,
the limit denies; otherwise a denial is counted, unless the request charges nothing or is denied because of attempts in flight.
Model: penalize in algorithms/penalty.ts. ]]
j = first
for c = 0, checks - 2 do
  local q = policies[batch[j + 4]]
  if batch[q + 1] == 12 then
    local k, p, cost, kq = batch[j], policies[batch[j + 1]], batch[j + 2], batch[j + 3]
    local position = firstReply + 4 * c
    local isAllowed = reply[position + 1] > 0
    local blockUs = reply[position + 7]
    if blockUs == 0 and reply[position + 1] == 0 and cost > 0 and not peek then
      states[kq], written[kq] = penalty.deny(states[kq], batch, q + 7, nowUs), q
      blockUs = math.max(0, states[kq][4] - nowUs)
    end
    if blockUs > 0 then
      if isAllowed then
        local _, _, remaining, _, resetAfterUs = ALGORITHMS[batch[p + 1]].step(states[k], batch, p + 7, 0, nowUs)
        reply[position + 2], reply[position + 3], reply[position + 4] = remaining, blockUs, resetAfterUs
      elseif reply[position + 3] >= 0 then
        reply[position + 3] = math.max(blockUs, reply[position + 3])
      end
      reply[position + 1] = -2
      all = all and batch[p + 2] % 2 == 1
    end
  end
  j = j + 3
end
