// The package from CommonJS, and what it does when it is bundled.
const console = require('node:console');
const { runSync } = require('argv-spawn');

console.log(JSON.stringify(runSync(['echo', 'required']).stdout));
