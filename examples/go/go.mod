module example.com/app

go 1.21

require github.com/ngrok/ngrok-api-go/v7 v7.6.0
