#!lua flags=allow-cross-slot-keys
--[[ probe-slots-1: whether scripts of this connection may use several slots, as decide-across.lua does.

KEYS[1]  a key in a slot of this server
ARGV[1]  a key in another slot of this server
ARGV[2]  a key in a slot of another server; '' if there is none
Reply    1 if both keys were written and read, and the foreign one failed; 0 if the foreign one was read
Errors   those of the commands
State    both keys expire after a second
Binding  cluster/slot-modes.ts
Source   docs/adr/0015-redis-cluster.md ]]
local usualKey, otherSlotKey, foreignKey = KEYS[1], ARGV[1], ARGV[2]
for _, key in ipairs({ usualKey, otherSlotKey }) do
  redis.call('SET', key, '1', 'PX', 1000)
  redis.call('GET', key)
end
if foreignKey == '' then
  return 1
end
local foreign = redis.pcall('GET', foreignKey)
return type(foreign) == 'table' and 1 or 0
