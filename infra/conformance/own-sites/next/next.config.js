/** Its presence makes this folder a site of the Pages Router. */
module.exports = {
  // Another origin in tests of browsers.
  assetPrefix: process.env.ASSET_PREFIX,
}
