--[[ Part of pool-exchange-1 and pool-reading-1: constants of the records in a pool's hash. Ranks: 1 critical, 2 normal, 3 background; a value
by rank is at the position of the field plus the rank. ]]
local CRITICAL <const> = 1
local NORMAL <const> = 2
local BACKGROUND <const> = 3

-- Field c, the correction.
local PERMILLE <const> = 1
local STEPPED_AT_MS <const> = 2
local REPORTED_AT_MS <const> = 3

-- Field s:<service>, its last report.
local SERVICE_AT_MS <const> = 1
local UTILIZATION <const> = 2 -- permille

-- Field w, the last cold start.
local STARTED_AT_MS <const> = 1

-- Field n:<node>, its last report. Borrowers have no tables of their own: with thousands of loans, creating them took half of the time.
local ORDER <const> = 1
local NODE_AT_MS <const> = 2
local RESERVED <const> = 3
local OWN <const> = 3 -- + rank
local DEMAND <const> = 6 -- + rank
local BORROWERS <const> = 10
-- Positions in a borrower, from its start.
local TENANT <const> = 0
local WEIGHT <const> = 1
local BORROWED <const> = 2
local BORROWER_DEMAND <const> = 2 -- + rank
local BORROWER_SIZE <const> = 6
