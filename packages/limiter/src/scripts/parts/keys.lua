--[[ Part of decide and the run scripts: the keys, all in one slot, and their stored texts, false for none. ]]
local keys, call = KEYS, redis.call
local texts = call('MGET', unpack(keys))
