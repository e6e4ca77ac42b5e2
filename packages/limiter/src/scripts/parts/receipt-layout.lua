--[[ Part of amend and decide: constants of receipts. Receipt r1 is a MessagePack array: the head, then an entry per check, which ends with
the policy. The key is the only text in it; of a field, its name (hash-fields.lua). ]]

-- Positions in the head.
local STATUS <const> = 1
local HOLDER <const> = 2
local CHARGED_AT_US <const> = 3
local EXPIRES_AT_US <const> = 4 -- 0: never; negative: expired then
local LIFETIME_MS <const> = 5
local REPORTED_AT_US <const> = 6 -- 0: not yet
local TERM_US <const> = 7
local FINGERPRINT <const> = 8 -- of the request; never 0: for that, only a mark is stored (MARKED)
local CHECKS <const> = 9 -- number of entries; the last position of the head

-- Values of the status.
local CHARGED <const> = 0
local FINAL <const> = 1
local REFUNDED <const> = 2 -- its id may be charged again

-- Positions in an entry, from the position before it.
local ENTRY_KEY <const> = 1
local ENTRY_COST <const> = 2
local ENTRY_OUTCOME <const> = 3
local ENTRY_REMAINING <const> = 4
local ENTRY_WAIT_US <const> = 5
local ENTRY_RESET_AFTER_US <const> = 6
local ENTRY_POLICY <const> = 7 -- without carries
