module example.com/app

go 1.25

require (
	github.com/fauxgate/fauxgate/languages/go v0.1.0
	github.com/ngrok/ngrok-api-go/v9 v9.0.0
)

// Outside this repository, leave this line out.
replace github.com/fauxgate/fauxgate/languages/go => ../../languages/go
