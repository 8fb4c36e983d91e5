module.exports = { name: 'meadow' }
