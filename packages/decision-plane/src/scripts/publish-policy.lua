--[[ publish-policy: publishes a revision, unless the head has changed since the publisher read it.

KEYS[1]  head; KEYS[2] catalogue; KEYS[3..]  tenant records
ARGV[1]  head as read; '' if there was none
ARGV[2]  new head
ARGV[3]  catalogue, JSON; '' if unchanged
ARGV[4]  channel; ARGV[5]  announcement
ARGV[6..]  tenant records in the order of KEYS[3..]; '' deletes one
Reply    1 published, 0 superseded
Binding  policy-redis/policy-store.ts ]]
local headKey, catalogueKey = KEYS[1], KEYS[2]
local expected, head, catalogue, channel, announcement = ARGV[1], ARGV[2], ARGV[3], ARGV[4], ARGV[5]

if (redis.call('GET', headKey) or '') ~= expected then
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
