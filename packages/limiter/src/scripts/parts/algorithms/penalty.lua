--[[ penalty: twin of algorithms/penalty.ts.
Parameters: 0, denials that start a block, their window, the first block, the longest block (us).
State n1: a table of denials in the window, end of the window, blocks in succession, end of the last block (us; 0 none). As text: these
numbers, each followed by a space, then the mark.
Source: docs/adr/0060-penalties.md ]]
-- Parameters.
local DENIALS <const> = 1
local WINDOW_US <const> = 2
local BLOCK_US <const> = 3
local MAX_BLOCK_US <const> = 4
-- Slot of the state.
local BLOCK_END_US <const> = 4
-- 2^30 times a second is longer than any block.
local MAX_BLOCKS <const> = 31

MAKE[PENALTY] = function()
  local function blockUs(state, nowUs)
    return math.max(0, (state and state[BLOCK_END_US] or 0) - nowUs)
  end

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
      return format('%.0f %.0f %.0f %.0f ', unpack(state)) .. mark
    end,

    step = function(state, b, at, cost, nowUs)
      local waitUs = blockUs(state, nowUs)
      return waitUs == 0 and 1 or 0, state, 0, waitUs, waitUs
    end,

    -- Time until the end of a block, 0 without one.
    blockUs = blockUs,

    deny = function(state, b, at, nowUs)
      local threshold, windowUs = b[at + DENIALS], b[at + WINDOW_US]
      local firstBlockUs, maxBlockUs = b[at + BLOCK_US], b[at + MAX_BLOCK_US]
      local denials, windowEndUs, blocks, blockEndUs = unpack(state or { 0, 0, 0, 0 })
      local leftUs = windowEndUs - nowUs
      local isOpen = leftUs > 0 and leftUs <= windowUs
      local counted = isOpen and denials + 1 or 1
      if counted < threshold then
        return { counted, isOpen and windowEndUs or nowUs + windowUs, blocks, blockEndUs }
      end
      local isRepeated = blocks > 0 and nowUs < blockEndUs + maxBlockUs
      blocks = isRepeated and math.min(MAX_BLOCKS, blocks + 1) or 1
      return { 0, 0, blocks, nowUs + math.min(maxBlockUs, firstBlockUs * 2 ^ (blocks - 1)) }
    end,

    rebase = function(state)
      return state
    end,
  }
end
