// The settings that Node-RED is started with; the agent gives them once, on the standard input.
const { readFileSync } = require('node:fs');

const { mode, listen, credentialSecret, editorPassword } = JSON.parse(readFileSync(0, 'utf8'));
// Without its agent it would keep the port from the next one.
process.on('disconnect', () => process.exit());
const developer = (isRight) => (isRight ? { username: 'developer', permissions: '*' } : null);

module.exports = {
  uiHost: listen.host,
  uiPort: listen.port,
  flowFile: 'flows.json',
  credentialSecret,
  // Autonomous: no editor, and nothing else that could change flows.
  ...(mode === 'developer' ? {} : { httpAdminRoot: false }),
  adminAuth: {
    type: 'credentials',
    users: async (name) => developer(name === 'developer'),
    authenticate: async (name, text) => developer(name === 'developer' && text === editorPassword),
    tokens: async (token) => developer(token === editorPassword),
  },
  telemetry: { enabled: false, updateNotification: false },
};
