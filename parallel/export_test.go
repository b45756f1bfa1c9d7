package parallel

// Impatient is impatient, for tests outside of the package.
var Impatient = impatient
