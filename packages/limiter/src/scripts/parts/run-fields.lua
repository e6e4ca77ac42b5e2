-- Part of run-packed and run-subject: declares the keys, all in one slot or, if ARGV[4] is given, in several, and the fields.
local keysAcross, fieldList, call = ARGV[4], ARGV[5], redis.call
local keys, fields = KEYS, cjson.decode(fieldList)
if keysAcross ~= '' then
  keys = cmsgpack.unpack(keysAcross)
end
