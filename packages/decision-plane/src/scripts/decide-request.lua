--[[ Part of decide: one request. Checks every limit first; charges all of them, or none.
Appends four integers a check to `reply`, marks charged keys in `written`; returns where the next request begins. ]]
local nextStates = {}

local function decideRequest(at)
  local checks, peek = floor(batch[at] / 2), batch[at] % 2 == 1
  local first, firstReply, all = at + 1, r, true
  for c = 0, checks - 1 do
    local j = first + c * 3
    local p = 2 + batch[j + 1] * 6
    local algorithm = ALGORITHMS[batch[p]]
    local allowed, state, remaining, retryAfterUs, resetAfterUs =
      algorithm.step(stateOf(batch[j], algorithm), batch, p + 3, batch[j + 2], nowUs)
    nextStates[c] = state
    all = all and allowed
    reply[r + 1], reply[r + 2], reply[r + 3], reply[r + 4] =
      allowed and 1 or 0, remaining, retryAfterUs, resetAfterUs
    r = r + 4
  end
  for c = 0, checks - 1 do
    local j = first + c * 3
    local k, p = batch[j], 2 + batch[j + 1] * 6
    if all and not peek then
      if batch[j + 2] > 0 then
        states[k], written[k] = nextStates[c], p
      end
    elseif reply[firstReply + c * 4 + 1] == 1 then
      -- Not charged after all: what is left is what was there before.
      local algorithm = ALGORITHMS[batch[p]]
      local _, _, remaining, _, resetAfterUs = algorithm.step(stateOf(k, algorithm), batch, p + 3, 0, nowUs)
      reply[firstReply + c * 4 + 2], reply[firstReply + c * 4 + 4] = remaining, resetAfterUs
    end
  end
  return first + checks * 3
end
