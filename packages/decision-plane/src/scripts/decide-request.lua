--[[ Part of decide: the request at `at`. Checks every limit first; charges all of them, or none. Appends four integers a
check to `reply`, marks charged keys in `written`, moves `at` to the next request. Not a function: what a function reaches
outside itself costs more than its own (a tenth of the script, counted in instructions). ]]
local peek = batch[at] % 2
local checks = (batch[at] - peek) / 2
local first, firstReply, all = at + 1, r, true
at = first
for c = 1, checks do
  local k, p, cost = batch[at], 2 + batch[at + 1] * 6, batch[at + 2]
  local algorithm, state = ALGORITHMS[batch[p]], states[k]
  if not state and texts[k] then
    state = algorithm.decode(texts[k])
    states[k] = state
  end
  local allowed, nextState, remaining, retryAfterUs, resetAfterUs =
    algorithm.step(state, batch, p + 3, cost, nowUs)
  nextStates[c] = nextState
  if allowed then
    reply[r + 1] = 1
  else
    reply[r + 1], all = 0, false
  end
  reply[r + 2] = remaining
  reply[r + 3] = retryAfterUs
  reply[r + 4] = resetAfterUs
  r, at = r + 4, at + 3
end
local charged = all and peek == 0
local j, place = first, firstReply
for c = 1, checks do
  local k, p = batch[j], 2 + batch[j + 1] * 6
  if charged then
    if batch[j + 2] > 0 then
      states[k], written[k] = nextStates[c], p
    end
  elseif reply[place + 1] == 1 then
    -- Would pass, but is not charged after all: what is left is what was there before.
    local _, _, remaining, _, resetAfterUs = ALGORITHMS[batch[p]].step(states[k], batch, p + 3, 0, nowUs)
    reply[place + 2], reply[place + 4] = remaining, resetAfterUs
  end
  j, place = j + 3, place + 4
end
