-- Part of decide: declares the reply and the position of its last integer.
local reply, r = { nowUs }, 1
