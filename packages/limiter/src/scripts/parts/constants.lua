--[[ Part of amend, decide and the run scripts: constants, replaced by their values when the scripts are assembled. ]]

-- States count time from 2020-01-01, which leaves them digits for the next decades.
local EPOCH_MS <const> = 1577836800000
local EPOCH_US <const> = 1577836800000000

--[[ Policy: a sequence of integers in an array. Positions from its start. ]]
local SIZE <const> = 0
local ALGORITHM <const> = 1 -- wire id
local FLAGS <const> = 2
local ID <const> = 3 -- 0 to IDS - 1
local PERIOD_EXPONENT <const> = 4 -- a TTL period lasts 2^this ms (policy.lua)
local HORIZON_MS <const> = 5 -- longest time that a state has an effect
local CARRIES <const> = 6 -- number of earlier policies, which follow the parameters
local PARAMETERS <const> = 7 -- the algorithm's, as many as its `parameters`

-- Run of requests with the same cost and policy, in run scripts. Positions from its start.
local RUN_COST <const> = 0
local RUN_REQUESTS <const> = 1
local RUN_POLICY <const> = 2

-- Values of the lowest bit of the flags, flags % 2.
local ENFORCED <const> = 0
local SHADOW <const> = 1
-- Further flags: the limit charges only this outcome.
local ON_FAILURE <const> = 2
local ON_SUCCESS <const> = 4

-- An earlier policy whose usage is carried over. Positions from its start.
local CARRY_ID <const> = 0
local CARRY_RULE <const> = 1
local CARRIED_AT_US <const> = 2
local CARRY_PARAMETERS <const> = 3

-- Rules of carry-over; keep is 0.
local RESET <const> = 1
local PROPORTIONAL <const> = 2
local ADDITIVE <const> = 3

-- Algorithms by wire id.
local FIXED_WINDOW <const> = 1
local GCRA <const> = 2
local SLIDING_WINDOW_LOG <const> = 3
local SLIDING_WINDOW_COUNTER <const> = 4
local SLIDING_WINDOW_ESTIMATE <const> = 5
local TOKEN_BUCKET <const> = 6
local TOKEN_BUCKET_INTERVAL <const> = 7
local LEAKY_BUCKET <const> = 8
local CONCURRENCY <const> = 9
local QUOTA <const> = 10
local PACKED <const> = 11
local PENALTY <const> = 12
local ATTEMPTS <const> = 16 -- added to the id of a limit that counts failures

-- Parameters of algorithms, from the position of the first. Those of one algorithm only are in its part.
local EXTRA <const> = 0 -- units above the capacity; gcra and leaky_bucket: their throttle
local CAPACITY <const> = 1 -- units; not of gcra, token_bucket and leaky_bucket
-- fixed_window and packed_window:
local WINDOW_MS <const> = 2
local ALIGNED <const> = 3 -- 1 if windows are aligned to the clock, 0 if they start at the first request
-- gcra, token_bucket and leaky_bucket:
local THROTTLE_US <const> = 0 -- above the reach
local INTERVAL_US <const> = 1 -- of a unit, 1 or more
local REACH_US <const> = 2
local BAND_US <const> = 3 -- longest time of a theoretical arrival ahead of the clock
local PACING <const> = 4 -- 0 none, 1 returns waits above the reach, 2 schedules each request

-- An extra that no usage reaches; added to a capacity, it stays below 2^53.
local UNBOUNDED <const> = 2 ^ 50
local MAX_EXACT <const> = 2 ^ 53

--[[ Mark: LEAST_MARK + id * PERIODS + TTL period % PERIODS, three digits after each state (policy.lua). ]]
local LEAST_MARK <const> = 64
local PERIODS <const> = 18
local IDS <const> = 48
-- The three digits as bytes x, y and z are the number x * 100 + y * 10 + z - 48 * 111, because the byte of 0 is 48. Without LEAST_MARK,
-- and divided by PERIODS, it is the id.
local MARK_BASE <const> = 48 * 111 + LEAST_MARK

-- %d prints three times as fast as %.0f, but may be limited to 32 bits. So larger numbers are printed with %.0f or in two halves:
local MAX_PRINTED <const> = 2147483648 -- exclusive
local START_HALF <const> = 1000000 -- a start of 12 digits as %06d%06d
local ARRIVAL_HALF <const> = 100000000 -- a theoretical arrival time as %d%08d

-- The state of gcra, token_bucket and leaky_bucket and its mark are one number: the time * MARK_SCALE + mark. A larger number is no state.
local MARK_SCALE <const> = 1000
local MAX_ARRIVAL <const> = 1e19
-- Largest count that Redis increments in place: the text of the state, with 15 or 12 digits after the count, is below 2^63.
local MAX_INCREMENTED <const> = 9222
local MAX_PACKED_INCREMENTED <const> = 9223371

-- Stored instead of a receipt for a request without a fingerprint: proves that it was charged.
local MARKED <const> = '1'
