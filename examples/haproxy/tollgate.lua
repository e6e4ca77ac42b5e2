-- Asks Tollgate whether a request may pass. Sets txn.tollgate_status: "200", "429", "403", "401", "rejected" (any other 4xx: a
-- wrong line in this file or in haproxy.cfg) or "away" (unreachable, too slow, or 5xx).
local ADDRESS = "http://127.0.0.1:4010/v1/forward-auth/traefik?api=url-shortener&tenant=acme&operation="
local TOKEN = "tga_live_..." -- a service token with the scope decide

core.register_action("tollgate", { "http-req" }, function(txn)
  local answer = core.httpclient():get({
    url = ADDRESS .. (txn:get_var("txn.tollgate_operation") or ""),
    headers = {
      ["x-tollgate-token"] = { TOKEN },
      ["x-forwarded-for"] = { txn.sf:src() },
      ["x-forwarded-method"] = { txn.sf:method() },
    },
    timeout = 200,
  })
  local status = answer and answer.status or 0
  if status == 200 or status == 429 or status == 403 or status == 401 then
    txn:set_var("txn.tollgate_status", tostring(status))
    local retry = answer.headers and answer.headers["retry-after"]
    txn:set_var("txn.tollgate_retry", retry and retry[0] or "1")
  elseif status >= 400 and status < 500 then
    txn:set_var("txn.tollgate_status", "rejected")
  else
    txn:set_var("txn.tollgate_status", "away")
  end
end, 0)
