// Tools are looked up by folded name: SendEmail, send_email and send-email share a key.
// params:
// access: schema
// returns:
CREATE INDEX tool_key IF NOT EXISTS FOR (t:Tool) ON (t.key)
