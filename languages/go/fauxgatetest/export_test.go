package fauxgatetest

// WaitLimit lets a test wait for less than 10 seconds.
var WaitLimit = &waitLimit
