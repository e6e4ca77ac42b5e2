--[[ publish-policy: puts a revision into force, unless a newer one is there already.

KEYS[1]  head; KEYS[2] catalogue; KEYS[3..]  tenant records
ARGV[1]  revision, 1 or more
ARGV[2]  head, JSON
ARGV[3]  catalogue, JSON; '' when it did not change
ARGV[4]  channel; ARGV[5]  announcement, JSON
ARGV[6..]  tenant records, JSON, in the order of KEYS[3..]; '' removes one
Reply    1 published, 0 superseded
Binding  scripts/publish-policy.ts ]]
local headKey, catalogueKey = KEYS[1], KEYS[2]
local revision, head, catalogue, channel, announcement = tonumber(ARGV[1]), ARGV[2], ARGV[3], ARGV[4], ARGV[5]

local current = redis.call('GET', headKey)
if current and cjson.decode(current).revision >= revision then
  return 0
end
for i = 3, #KEYS do
  local record = ARGV[i + 3]
  if record == '' then
    redis.call('DEL', KEYS[i])
  else
    redis.call('SET', KEYS[i], record)
  end
end
if catalogue ~= '' then
  redis.call('SET', catalogueKey, catalogue)
end
redis.call('SET', headKey, head)
redis.call('PUBLISH', channel, announcement)
return 1
