--[[ Part of decide: the penalties of a request's limits. The check after that of such a limit is its penalty, at cost 0. During a block,
the limit denies; otherwise a denial is counted, unless the request charges nothing or is denied because of attempts in flight.
Model: penalize in algorithms/penalty.ts. ]]

-- `first`: position of the checks; `firstReply`: before their reply. Returns whether a block denies the request.
local function applyPenalties(first, checks, firstReply, peek)
  local isDenied = false
  for c = 0, checks - 2 do
    local j, position = first + c * CHECK_SIZE, firstReply + c * REPLY_SIZE
    local jq, positionQ = j + CHECK_SIZE, position + REPLY_SIZE
    local q = policies[batch[jq + CHECK_POLICY]]
    if batch[q + ALGORITHM] == PENALTY then
      local k, p, cost, kq = batch[j + CHECK_KEY], policies[batch[j + CHECK_POLICY]], batch[j + CHECK_COST], batch[jq + CHECK_KEY]
      local outcome, blockUs = reply[position + OUTCOME], reply[positionQ + WAIT_US]
      if blockUs == 0 and outcome == DENIED and cost > 0 and not peek then
        states[kq], written[kq] = penalty.deny(states[kq], batch, q + PARAMETERS, nowUs), q
        blockUs = penalty.blockUs(states[kq], nowUs)
      end
      if blockUs > 0 then
        if outcome > DENIED then
          local _, _, remaining, _, resetAfterUs =
            ALGORITHMS[batch[p + ALGORITHM]].step(states[k], batch, p + PARAMETERS, 0, nowUs)
          reply[position + REMAINING], reply[position + WAIT_US], reply[position + RESET_AFTER_US] = remaining, blockUs, resetAfterUs
        elseif reply[position + WAIT_US] >= 0 then
          reply[position + WAIT_US] = math.max(blockUs, reply[position + WAIT_US])
        end
        reply[position + OUTCOME] = BLOCKED
        isDenied = isDenied or batch[p + FLAGS] % 2 == ENFORCED
      end
    end
  end
  return isDenied
end
