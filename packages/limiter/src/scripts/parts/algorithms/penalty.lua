--[[ penalty: twin of algorithms/penalty.ts.
Parameters: 0, denials that start a block, their window, the first block, the longest block (us).
State n1: a table of denials in the window, end of the window, blocks in succession, end of the last block (us; 0 none). As text: these
numbers, each followed by a space, then the mark.
Source: docs/adr/0060-penalties.md ]]
MAKE[12] = function()
  return {
    parameters = 5,

    decode = function(text)
      local denials, windowEndUs, blocks, blockEndUs = string.match(text, '^(%d+) (%d+) (%d+) (%d+) %d%d%d$')
      if not denials then
        return nil
      end
      return { tonumber(denials), tonumber(windowEndUs), tonumber(blocks), tonumber(blockEndUs) }
    end,

    encode = function(state, mark)
      return format('%.0f %.0f %.0f %.0f ', state[1], state[2], state[3], state[4]) .. mark
    end,

    step = function(state, b, at, cost, nowUs)
      local waitUs = math.max(0, (state and state[4] or 0) - nowUs)
      return waitUs == 0 and 1 or 0, state, 0, waitUs, waitUs
    end,

    deny = function(state, b, at, nowUs)
      state = state or { 0, 0, 0, 0 }
      local leftUs = state[2] - nowUs
      local isOpen = leftUs > 0 and leftUs <= b[at + 2]
      local counted = isOpen and state[1] + 1 or 1
      if counted < b[at + 1] then
        return { counted, isOpen and state[2] or nowUs + b[at + 2], state[3], state[4] }
      end
      local blocks = 1
      if state[3] > 0 and nowUs < state[4] + b[at + 4] then
        blocks = math.min(31, state[3] + 1)
      end
      return { 0, 0, blocks, nowUs + math.min(b[at + 4], b[at + 3] * 2 ^ (blocks - 1)) }
    end,

    rebase = function(state)
      return state
    end,
  }
end
