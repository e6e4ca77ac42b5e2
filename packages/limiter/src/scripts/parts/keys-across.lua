--[[ Part of the variants of decide and the run scripts for keys in any slots of one master of a cluster. Different from the contract of
the script:

KEYS[1]  a key of the first request; routes the call
ARGV[4]  the script's keys, a MessagePack array of strings
Reply    decide: skip-foreign.lua; a run script: -1 for a foreign key
         Error NOACROSS if the server does not permit this access to keys; nothing was charged.

A key is foreign if this server does not serve it now: its slot is on another master, or is migrating and the key is not here. All keys
are read before the first write, because a server reports a foreign key only when it is used; during a run, nothing moves. One key per
command, because no command may use two slots.
Binding  scripts/across.ts
Source   docs/adr/0015-redis-cluster.md ]]
local keys, call, try = cmsgpack.unpack(ARGV[4]), redis.call, redis.pcall
local texts, foreign = {}, nil
for k = 1, #keys do
  local text = try('GET', keys[k])
  if type(text) == 'table' then
    if string.find(text.err, 'non local key', 1, true) then
      foreign = foreign or {}
      -- No state of any algorithm: a run script leaves it to decide.
      foreign[k], text = true, ''
    elseif string.sub(text.err, 1, 9) == 'WRONGTYPE' then
      text = false
    else
      return redis.error_reply('NOACROSS ' .. text.err)
    end
  end
  texts[k] = text
end
