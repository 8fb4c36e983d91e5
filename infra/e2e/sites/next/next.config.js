/** Read by the build: its presence, with `next` in package.json, makes this a site of the Pages Router. */
module.exports = {}
