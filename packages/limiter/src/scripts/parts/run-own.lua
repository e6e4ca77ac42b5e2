-- Part of the run scripts: whether this policy wrote the text in another TTL period; markId of policy.lua.
local x, y, z = byte(text, -3, -1)
isOwn = z ~= nil and floor((x * 100 + y * 10 + z - 5392) / 18) == id
