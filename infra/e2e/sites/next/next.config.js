/** Its presence makes this folder a site of the Pages Router. */
module.exports = {}
